import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Charge } from '../../src/limits/counters.ts'
import { memoryCounters } from '../../src/limits/memory-counters.ts'
import { openSharedCounters } from '../../src/limits/redis-counters.ts'
import { createLog } from '../../src/log/log.ts'
import { startRedis } from '../redis-server.ts'
import { ann, eventually, hammer, openedLimiter, outcome, redisCommand } from './limited-calls.ts'

interface Over {
  readonly charges: readonly Charge[]
  readonly remainingMs: number
}

const quiet = createLog({ level: 'silent' })

test('four processes on one Redis admit exactly the limit between them', async (t) => {
  const redis = await startRedis()
  t.after(redis.stop)
  const configuration = `{ shared: "${redis.url}", limits: { perPrincipalPerMinute: 1000 } }`
  const hammers = await Promise.all(Array.from({ length: 4 }, () => hammer(configuration, 600)))
  const admitted = await Promise.all(hammers.map(({ hit }) => hit()))
  assert.equal(
    admitted.reduce((sum, each) => sum + each),
    1000,
    admitted.join(' + '),
  )
})

test('on Redis a call is charged to all of its counters or to none, as in memory', async (t) => {
  const redis = await startRedis()
  t.after(redis.stop)
  const counters = await openSharedCounters({ url: redis.url, log: quiet, whenSharedFails: 'refuse' })
  t.after(counters.close)
  const charge = fc.record({
    key: fc.constantFrom('a', 'b', 'c', 'd'),
    limit: fc.integer({ min: 1, max: 4 }),
    amount: fc.nat(2),
  })
  const call = fc.uniqueArray(charge, { minLength: 1, selector: ({ key }) => key })
  let run = 0
  await fc.assert(
    fc.asyncProperty(fc.array(call, { maxLength: 25 }), async (calls) => {
      run += 1
      const memory = memoryCounters(() => 0)
      for (const drawn of calls) {
        // No window ends during the test, and those that could be confused differ by a minute.
        const charges = drawn.map((each): Charge => {
          const minutes = 10 + each.key.charCodeAt(0)
          return { ...each, key: `{postern}:${run}:${each.key}`, windowMs: minutes * 60_000 }
        })
        const there = await counters.charge(charges)
        assert.equal(there?.index, memory.charge(charges)?.index)
      }
    }),
    { numRuns: 60 },
  )
})

test('a window ends by the clock of Redis, and the wait that was told is enough', async (t) => {
  const redis = await startRedis()
  t.after(redis.stop)
  const counters = await openSharedCounters({ url: redis.url, log: quiet, whenSharedFails: 'refuse' })
  t.after(counters.close)
  const twice = async (key: string): Promise<Over> => {
    const charges = [{ key, limit: 1, amount: 1, windowMs: 300 }]
    const start = performance.now()
    assert.equal(await counters.charge(charges), undefined)
    const over = await counters.charge(charges)
    // A slow machine may come with the second one when the window is over.
    if (over === undefined && performance.now() - start >= 300) return twice(`${key}x`)
    assert.ok(over !== undefined)
    return { charges, remainingMs: over.remainingMs }
  }
  const over = await twice('{postern}:x')
  assert.ok(over.remainingMs > 0 && over.remainingMs <= 300)
  await new Promise((resolve) => setTimeout(resolve, over.remainingMs + 5))
  assert.equal(await counters.charge(over.charges), undefined)
})

test('tokens are charged after the call, for all processes', async (t) => {
  const redis = await startRedis()
  t.after(redis.stop)
  const limits = '{ perPrincipal: { tokensPerDay: 100 } }'
  const [one, two] = [await openedLimiter(t, redis.url, limits), await openedLimiter(t, redis.url, limits)]
  const target = { kind: 'model', name: 'tiny' } as const
  assert.equal(await outcome(one.limiter.request(ann, target)), 'admitted')
  one.limiter.spend(ann, target, 100)
  await eventually(() => outcome(two.limiter.request({ ...ann }, target)), 'quota')
})

test('two databases of one Redis count apart', async (t) => {
  const redis = await startRedis()
  t.after(redis.stop)
  const limits = '{ perPrincipalPerMinute: 1 }'
  for (const url of [redis.url, `${redis.url}/1`]) {
    const { ask } = await openedLimiter(t, url, limits)
    assert.deepEqual([await ask(), await ask()], ['admitted', 'quota'])
  }
})

test('nothing in Redis names who called or what, and every counter has an end', async (t) => {
  const redis = await startRedis()
  t.after(redis.stop)
  const { limiter } = await openedLimiter(
    t,
    redis.url,
    '{ perPrincipal: { tokensPerDay: 9 }, perKey: { requestsPerDay: 5 }, models: { tiny: 5 } }',
  )
  await limiter.request(ann, { kind: 'model', name: 'tiny' })
  limiter.spend(ann, { kind: 'model', name: 'tiny' }, 5)
  const command = (...words: string[]): Promise<unknown> => redisCommand(redis.url, ...words)
  await eventually(async () => String(await command('DBSIZE')), '4')
  const found = await command('KEYS', '*')
  assert.ok(Array.isArray(found))
  const keys = found.map(String)
  for (const key of keys) {
    assert.match(
      key,
      /^\{postern\}:(?:all|model)\.(?:principal|key)\.(?:requests|tokens)\.(?:minute|day):[\w-]{22}$/,
    )
    assert.ok(Number(await command('PTTL', key)) > 0)
  }
  assert.doesNotMatch(keys.join(), /ann|tiny|example/)
})
