import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLocalKey, type LocalKey } from '../../test/auth/local-key.ts'
import { Failure } from '../failure/failure.ts'
import { createLog } from '../log/log.ts'
import { createKeySet, type KeySet, usualTiming } from './key-set.ts'
import { readKeySet, type SigningKey } from './signing-key.ts'

const [first, second] = [createLocalKey(), createLocalKey()]
const minute = 60_000
const hour = 60 * minute

interface Setting {
  readonly keySet: KeySet
  readonly clock: { now: number }
  readonly issuer: {
    keys: readonly LocalKey[]
    isDown: boolean
    reads: number
    answer: Promise<void> | undefined
  }
}

/** An issuer as a function, and a clock that is set by hand; the distance between reads is a few milliseconds. */
function setting(mostWaiting = usualTiming.mostWaiting): Setting {
  const clock = { now: hour }
  const issuer: Setting['issuer'] = { keys: [first], isDown: false, reads: 0, answer: undefined }
  const load = async (): Promise<readonly SigningKey[]> => {
    issuer.reads += 1
    const keys = issuer.keys.map((key) => key.publicJwk)
    await issuer.answer
    if (issuer.isDown) throw new Error('the issuer is down')
    return readKeySet({ keys }) ?? []
  }
  const keySet = createKeySet({
    issuer: 'https://as.example',
    load,
    log: createLog({ level: 'silent' }),
    now: () => clock.now,
    timing: { ...usualTiming, spacing: 5, mostWaiting },
  })
  return { keySet, clock, issuer }
}

const headerOf = ({ kid }: LocalKey): { alg: string; kid: string } => ({ alg: 'ES256', kid })

test('a thousand calls at the start cause one read', async () => {
  const { keySet, issuer } = setting()
  const found = await Promise.all(Array.from({ length: 1000 }, () => keySet.find(headerOf(first))))
  assert.ok(found.every((keys) => keys.length === 1))
  assert.equal(issuer.reads, 1)
})

test('a new key is found by its unknown id, with one read for all who ask', async () => {
  const { keySet, issuer } = setting()
  await keySet.find(headerOf(first))
  issuer.keys = [first, second]
  const found = await Promise.all(Array.from({ length: 1000 }, () => keySet.find(headerOf(second))))
  assert.ok(found.every((keys) => keys.length === 1))
  assert.equal(issuer.reads, 2)
})

test('a key that appears while a read is under way is found by the next one', async () => {
  const { keySet, issuer } = setting()
  await keySet.find(headerOf(first))
  const { promise, resolve } = Promise.withResolvers<void>()
  issuer.answer = promise
  const flood = keySet.find({ alg: 'ES256', kid: 'nobody' }).catch((failure: unknown) => failure)
  while (issuer.reads < 2) await new Promise((next) => setImmediate(next))
  issuer.keys = [first, second]
  const valid = keySet.find(headerOf(second))
  resolve()
  assert.equal((await valid).length, 1)
  assert.ok((await flood) instanceof Failure)
  assert.equal(issuer.reads, 3)
})

test('a flood of unknown key ids is refused with few reads, and known keys never wait for it', async () => {
  const { keySet, issuer } = setting()
  await keySet.find(headerOf(first))
  const flood = Array.from({ length: 5000 }, (_, index) =>
    keySet.find({ alg: 'ES256', kid: `nobody ${index}` }).catch((failure: unknown) => failure),
  )
  assert.equal((await keySet.find(headerOf(first))).length, 1)
  assert.equal(issuer.reads, 1)
  for (const failure of await Promise.all(flood)) {
    assert.ok(failure instanceof Failure && failure.code === 'unauthenticated')
  }
  assert.equal(issuer.reads, 2)
})

test('a call that may not wait gets no verdict: its key may be a new one', async () => {
  const { keySet, issuer } = setting(0)
  await assert.rejects(keySet.find(headerOf(first)), { code: 'unavailable' })
  await keySet.isLoaded()
  issuer.keys = [first, second]
  await assert.rejects(keySet.find(headerOf(second)), { code: 'unavailable' })
})

test('keys count as loaded once they were read, also while the issuer is down later', async () => {
  const { keySet, issuer, clock } = setting()
  issuer.isDown = true
  assert.equal(await keySet.isLoaded(), false)
  issuer.isDown = false
  clock.now += minute
  assert.deepEqual(await Promise.all([keySet.isLoaded(), keySet.isLoaded()]), [true, true])
  issuer.isDown = true
  clock.now += hour
  assert.equal(await keySet.isLoaded(), true)
  assert.equal(issuer.reads, 2)
})

test('more calls than may wait are refused at once', async () => {
  const { keySet, issuer } = setting(10)
  await keySet.find(headerOf(first))
  const flood = Array.from({ length: 100 }, () =>
    keySet.find({ alg: 'ES256', kid: 'x' }).catch(() => issuer.reads),
  )
  assert.equal((await Promise.all(flood)).filter((reads) => reads === 1).length, 90)
})

test('old keys are read again in the background, and a key that is gone is marked', async () => {
  const { keySet, issuer, clock } = setting()
  const [key] = await keySet.find(headerOf(first))
  assert.equal(keySet.isFresh(), true)
  assert.equal(issuer.reads, 1)
  issuer.keys = [second]
  clock.now += 5 * minute
  assert.equal(keySet.isFresh(), true)
  assert.equal(issuer.reads, 2)
  await keySet.find(headerOf(second))
  assert.equal(key?.isCurrent, false)
  await assert.rejects(keySet.find(headerOf(first)), { code: 'unauthenticated' })
})

test('a key that stays is the same key after a read', async () => {
  const { keySet, issuer, clock } = setting()
  const [before] = await keySet.find(headerOf(first))
  issuer.keys = [second, first]
  clock.now += 11 * minute
  const [after] = await keySet.find(headerOf(first))
  assert.equal(issuer.reads, 2)
  assert.equal(after, before)
  assert.equal(after?.isCurrent, true)
})

test('another key under a known id is another key', async () => {
  const { keySet, issuer, clock } = setting()
  const [before] = await keySet.find(headerOf(first))
  issuer.keys = [createLocalKey('ES256', first.kid)]
  clock.now += 11 * minute
  const [after] = await keySet.find(headerOf(first))
  assert.notEqual(after, before)
  assert.equal(before?.isCurrent, false)
})

test('after a long rest nothing is decided before the issuer was asked', async () => {
  const { keySet, issuer, clock } = setting()
  await keySet.find(headerOf(first))
  issuer.keys = [second]
  clock.now += 10 * minute
  assert.equal(keySet.isFresh(), false)
  await assert.rejects(keySet.find(headerOf(first)), { code: 'unauthenticated' })
})

test('while the issuer is down its keys are kept for a day, with a read every half minute', async () => {
  const { keySet, issuer, clock } = setting()
  await keySet.find(headerOf(first))
  issuer.isDown = true
  for (let waited = 0; waited < 23 * hour; waited += 10_000) {
    clock.now += 10_000
    assert.equal((await keySet.find(headerOf(first))).length, 1)
  }
  assert.ok(issuer.reads <= (23 * hour) / 30_000 + 2, `${issuer.reads} reads`)
  clock.now += hour
  assert.equal(keySet.isFresh(), false)
  await assert.rejects(keySet.find(headerOf(first)), { code: 'unavailable' })
})

test('an issuer that comes back is noticed', async () => {
  const { keySet, issuer, clock } = setting()
  issuer.isDown = true
  await assert.rejects(keySet.find(headerOf(first)), { code: 'unavailable' })
  issuer.isDown = false
  assert.equal((await keySet.find(headerOf(first))).length, 1)
  issuer.isDown = true
  clock.now += 25 * hour
  await assert.rejects(keySet.find(headerOf(first)), { code: 'unavailable' })
  issuer.isDown = false
  assert.equal((await keySet.find(headerOf(first))).length, 1)
})

test('while the issuer is down nothing can be said of an unknown key', async () => {
  const { keySet, issuer } = setting()
  await keySet.find(headerOf(first))
  issuer.isDown = true
  await assert.rejects(keySet.find(headerOf(second)), { code: 'unavailable' })
  assert.equal((await keySet.find(headerOf(first))).length, 1)
})

test('a key is found by its algorithm where a token names none, but for those tried before', async () => {
  const { keySet, issuer } = setting()
  issuer.keys = [first, createLocalKey('RS256')]
  const header = { alg: 'ES256', kid: undefined }
  const held = await keySet.find(header)
  assert.equal(held.length, 1)
  issuer.keys = [second]
  const newer = await keySet.find(header, held)
  assert.equal(newer.length, 1)
  assert.notEqual(newer[0], held[0])
})
