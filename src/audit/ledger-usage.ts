import type { UsageHour } from '../store/tables-audit.ts'
import { type AuditRecord, columnText, summable } from './audit-line.ts'
import { type PutRows, putting } from './ledger-put.ts'

/** What is to be added to the hours in which the calls were decided. */
export function usageOf(records: readonly AuditRecord[]): readonly UsageHour[] {
  const hours = new Map<string, Sum>()
  for (const record of records) {
    // What the log says of itself is nobody's call.
    if (record.status === 0) continue
    const place = placeOf(record)
    const key = keyOf(place)
    const sum = hours.get(key) ?? beginning(place)
    hours.set(key, sum)
    addCall(sum, record)
  }
  return [...hours.values()]
}

type Sum = { -readonly [Column in keyof UsageHour]: UsageHour[Column] }

type Place = readonly [
  hour: number,
  surface: UsageHour['surface'],
  issuer: string,
  principal: string,
  target: string,
]

/** Lengths keep apart what could be read in two ways, at a quarter of the price of JSON. */
function keyOf([hour, surface, issuer, principal, target]: Place): string {
  return `${hour} ${surface} ${issuer.length} ${issuer} ${principal.length} ${principal} ${target}`
}

function placeOf({ time, surface, by, target, decision }: AuditRecord): Place {
  // A refused caller may name anything, and the ids of what is administered are many: neither must fill the table.
  const isOpen = decision === 'allow' && surface !== 'api'
  const named = isOpen ? (target ?? '') : ''
  return [time - (time % hourLength), surface, by?.issuer ?? '', by?.principal ?? '', named]
}

const hourLength = 3_600_000_000

function beginning([hour, surface, issuer, principal, target]: Place): Sum {
  return {
    hour,
    surface,
    issuer: columnText(issuer),
    principal: columnText(principal),
    target: columnText(target),
    calls: 0,
    denials: 0,
    tokens_in: 0,
    tokens_out: 0,
  }
}

function addCall(sum: Sum, { decision, tokensIn, tokensOut }: AuditRecord): void {
  sum.calls += 1
  sum.denials += decision === 'deny' ? 1 : 0
  sum.tokens_in += summable(tokensIn)
  sum.tokens_out += summable(tokensOut)
}

/** Adds to what an hour has. */
export const putUsage: PutRows<keyof UsageHour> = putting({
  table: 'usage_hours',
  columns: [
    ['hour', 'bigint'],
    ['surface', 'text'],
    ['issuer', 'text'],
    ['principal', 'text'],
    ['target', 'text'],
    ['calls', 'bigint'],
    ['denials', 'bigint'],
    ['tokens_in', 'bigint'],
    ['tokens_out', 'bigint'],
  ],
  whenThere: `on conflict (hour, surface, issuer, principal, target) do update set
    calls = usage_hours.calls + excluded.calls, denials = usage_hours.denials + excluded.denials,
    tokens_in = usage_hours.tokens_in + excluded.tokens_in,
    tokens_out = usage_hours.tokens_out + excluded.tokens_out`,
})
