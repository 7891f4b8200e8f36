import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseConfig } from '../config/parse-config.ts'
import { Failure } from '../failure/failure.ts'
import type { LimitedPrincipal } from './charge-book.ts'
import type { LimitTarget } from './limit-rules.ts'
import { createLimiter, type Limiter } from './limiter.ts'
import { memoryCounters } from './memory-counters.ts'

interface Clock {
  ms: number
}

function limiterWith(text: string, clock: Clock = { ms: 0 }): Limiter {
  const models = 'models: [{ name: tiny, engine: story }, { name: house, engine: story }]\n'
  const { limits } = parseConfig(`${models}limits: ${text}`, { file: 'x.yaml', env: {} })
  return createLimiter({ settings: limits, counters: memoryCounters(() => clock.ms) })
}

function principal(
  subject: string,
  credential: Partial<LimitedPrincipal['credential']> = {},
): LimitedPrincipal {
  return { issuer: 'https://a.example', subject, credential: { kind: 'api-key', id: '1', ...credential } }
}

const tool = (name: string): LimitTarget => ({ kind: 'tool', name })
const model = (name: string): LimitTarget => ({ kind: 'model', name })
const [ann, bob] = [principal('ann'), principal('bob', { id: '2' })]

function refusal(attempt: () => unknown): Pick<Failure, 'code' | 'reason' | 'message' | 'retryAfterSeconds'> {
  try {
    attempt()
  } catch (error) {
    if (error instanceof Failure) return error
  }
  assert.fail('it was let through')
}

function times(count: number, attempt: () => unknown): void {
  for (let each = 0; each < count; each += 1) assert.equal(attempt(), undefined)
}

test('a principal has the requests of a minute, whatever is asked for, and is told the limit and the wait', () => {
  const clock = { ms: 0 }
  const limiter = limiterWith('{ perPrincipalPerMinute: 3 }', clock)
  times(1, () => limiter.request(ann))
  times(1, () => limiter.request(ann, tool('echo')))
  times(1, () => limiter.request(ann, model('tiny')))
  clock.ms = 47_500
  const { code, reason, message, retryAfterSeconds } = refusal(() => limiter.request(ann))
  assert.deepEqual(
    { code, reason, retryAfterSeconds },
    { code: 'limit-exceeded', reason: 'quota', retryAfterSeconds: 13 },
  )
  assert.equal(
    message,
    'the limit of 3 requests a minute of one principal is reached; try again in 13 seconds',
  )
  times(1, () => limiter.request(bob))
  clock.ms = 60_000
  times(3, () => limiter.request(ann))
})

test('the same subject of another issuer is another principal, and a fresh object of the same one is not', () => {
  const limiter = limiterWith('{ perPrincipalPerMinute: 1 }')
  times(1, () => limiter.request(ann))
  times(1, () => limiter.request({ ...ann, issuer: 'https://b.example' }))
  refusal(() => limiter.request({ ...ann }))
  refusal(() => limiter.request(principal('ann', { kind: 'jwt', id: 'another' })))
})

test('issuer and subject cannot be put together differently to share or dodge a counter', () => {
  const limiter = limiterWith('{ perPrincipalPerMinute: 1 }')
  times(1, () => limiter.request({ ...ann, issuer: 'a","b', subject: 'c' }))
  times(1, () => limiter.request({ ...ann, issuer: 'a', subject: 'b","c' }))
})

test('a limit of a day lasts a day, and the longest wait is the one that is told', () => {
  const clock = { ms: 0 }
  const limiter = limiterWith('{ perPrincipalPerMinute: 2, perPrincipal: { requestsPerDay: 2 } }', clock)
  times(2, () => limiter.request(ann))
  const { message, retryAfterSeconds } = refusal(() => limiter.request(ann))
  assert.match(message, /^the limit of 2 requests a day of one principal is reached; try again in 24 hours$/)
  assert.equal(retryAfterSeconds, 86_400)
  clock.ms = 86_400_000
  times(2, () => limiter.request(ann))
})

test('a key has limits of its own, whatever its principal may do; a token has not', () => {
  const limiter = limiterWith('{ perKey: { requestsPerMinute: 2, requestsPerDay: 3 } }')
  times(2, () => limiter.request(ann))
  assert.match(refusal(() => limiter.request(ann)).message, /2 requests a minute with one key/)
  times(2, () => limiter.request(principal('ann', { id: 'other' })))
  times(2, () => limiter.request(principal('ann', { kind: 'service-account' })))
  times(10, () => limiter.request(principal('ann', { kind: 'jwt' })))
  times(10, () => limiter.request(principal('ann', { kind: 'introspection' })))
})

test('a tool is limited for each principal, or for everyone together', () => {
  const limiter = limiterWith(
    '{ tools: { a: 2, b: { requestsPerMinute: 3, of: everyone }, c: { requestsPerDay: 1 } } }',
  )
  times(2, () => limiter.target(ann, tool('a')))
  assert.match(
    refusal(() => limiter.target(ann, tool('a'))).message,
    /^the limit of 2 requests a minute of one principal for the tool a is reached; try again in 60 seconds$/,
  )
  times(2, () => limiter.target(bob, tool('a')))
  times(2, () => limiter.target(ann, tool('b')))
  times(1, () => limiter.target(bob, tool('b')))
  assert.match(
    refusal(() => limiter.target(bob, tool('b'))).message,
    /of all callers together for the tool b/,
  )
  times(1, () => limiter.target(ann, tool('c')))
  refusal(() => limiter.target(ann, tool('c')))
  times(100, () => limiter.target(ann, tool('unlimited')))
})

test('a tool and a model of one name are counted apart', () => {
  const limiter = limiterWith('{ tools: { tiny: 1 }, models: { tiny: 1 } }')
  times(1, () => limiter.request(ann, tool('tiny')))
  times(1, () => limiter.request(ann, model('tiny')))
  refusal(() => limiter.request(ann, tool('tiny')))
})

test('names that an object has by nature are no limits', () => {
  const limiter = limiterWith('{ tools: { echo: 1 } }')
  for (const name of ['toString', '__proto__', 'constructor']) times(5, () => limiter.target(ann, tool(name)))
})

test('a request refused for its target is not charged to its principal', () => {
  const limiter = limiterWith('{ perPrincipalPerMinute: 3, models: { tiny: 1 } }')
  times(1, () => limiter.request(ann, model('tiny')))
  for (let each = 0; each < 5; each += 1) refusal(() => limiter.request(ann, model('tiny')))
  times(2, () => limiter.request(ann))
  refusal(() => limiter.request(ann))
})

test('a model is refused once its tokens are used up, and other models when those of the principal are', () => {
  const clock = { ms: 0 }
  const limiter = limiterWith(
    '{ perPrincipal: { tokensPerMinute: 100 }, models: { tiny: { tokensPerDay: 50 } } }',
    clock,
  )
  times(3, () => limiter.request(ann, model('tiny')))
  limiter.spend(ann, model('tiny'), 30)
  times(1, () => limiter.request(ann, model('tiny')))
  limiter.spend(ann, model('tiny'), 30)
  assert.match(
    refusal(() => limiter.request(ann, model('tiny'))).message,
    /50 tokens a day of one principal for the model tiny/,
  )
  times(1, () => limiter.request(ann, model('house')))
  limiter.spend(ann, model('house'), 40)
  assert.match(
    refusal(() => limiter.request(ann, model('house'))).message,
    /100 tokens a minute of one principal is/,
  )
  assert.match(refusal(() => limiter.target(ann, model('house'))).message, /100 tokens a minute/)
  times(1, () => limiter.request(ann))
  times(1, () => limiter.request(ann, tool('echo')))
  times(1, () => limiter.request(bob, model('house')))
  clock.ms = 60_000
  times(1, () => limiter.request(ann, model('house')))
})

test('tokens of a key and of everyone together are counted too', () => {
  const limiter = limiterWith(
    '{ perKey: { tokensPerMinute: 10, tokensPerDay: 20 }, models: { tiny: { tokensPerMinute: 15, of: everyone } } }',
  )
  limiter.spend(ann, model('tiny'), 10)
  assert.match(refusal(() => limiter.request(ann, model('house'))).message, /10 tokens a minute with one key/)
  times(1, () => limiter.request(bob, model('tiny')))
  limiter.spend(bob, model('tiny'), 5)
  assert.match(
    refusal(() => limiter.request(principal('eve', { id: '3' }), model('tiny'))).message,
    /15 tokens a minute of all callers together for the model tiny/,
  )
})

test('spending nothing, or what is no number, changes nothing', () => {
  const limiter = limiterWith('{ perPrincipal: { tokensPerDay: 1 } }')
  for (const tokens of [0, -5, Number.NaN, Infinity]) limiter.spend(ann, model('tiny'), tokens)
  times(1, () => limiter.request(ann, model('tiny')))
  limiter.spend(ann, undefined, 0.5)
  refusal(() => limiter.request(ann, model('tiny')))
})

test('a wait is told in the unit that fits, rounded up', () => {
  const clock = { ms: 0 }
  const limiter = limiterWith('{ perPrincipal: { requestsPerDay: 1 } }', clock)
  times(1, () => limiter.request(ann))
  const waits = [
    [86_399_999, '1 second'],
    [86_400_000 - 119_000, '119 seconds'],
    [86_400_000 - 120_001, '3 minutes'],
    [86_400_000 - 7_200_000, '2 hours'],
  ] as const
  for (const [ms, words] of waits) {
    clock.ms = ms
    assert.ok(refusal(() => limiter.request(ann)).message.endsWith(`try again in ${words}`), words)
  }
})
