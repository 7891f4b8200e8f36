import { hash } from 'node:crypto'

/**
 * All charges of a call, or none. KEYS are the counters; ARGV has limit, amount and window of each. A window opens with
 * the command that first charges it, so there is no counter without an end.
 */
export const chargeScript = `
local used, over, wait = {}, 0, -2
for i, key in ipairs(KEYS) do
  used[i] = redis.call('GET', key)
  if used[i] and tonumber(used[i]) >= tonumber(ARGV[3 * i - 2]) then
    local left = redis.call('PTTL', key)
    if left > wait then over, wait = i, left end
  end
end
if over > 0 then return { over, wait } end
for i, key in ipairs(KEYS) do
  local amount = ARGV[3 * i - 1]
  if amount ~= '0' then
    if used[i] then redis.call('INCRBY', key, amount)
    else redis.call('SET', key, amount, 'PX', ARGV[3 * i]) end
  end
end
return { 0, 0 }
`

/** The name under which a server keeps the script. */
export const chargeScriptHash: string = hash('sha1', chargeScript)
