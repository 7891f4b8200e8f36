import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Failure } from '../failure/failure.ts'
import { type CallerLookup, createCallerLookup } from './caller-lookup.ts'

interface Setting {
  readonly lookup: CallerLookup<string>
  readonly rows: Map<string, string>
  readonly asked: string[]
  readonly clock: { now: number }
}

function setting(): Setting {
  const clock = { now: 1_000_000 }
  const rows = new Map([['good', 'row']])
  const asked: string[] = []
  const load = async (name: string): Promise<string | undefined> => {
    asked.push(name)
    return rows.get(name)
  }
  return { lookup: createCallerLookup({ load, now: () => clock.now }), rows, asked, clock }
}

test('what the store said is known for a second, also that it has nothing', async () => {
  const { lookup, asked, clock } = setting()
  assert.equal(lookup.recent('good'), undefined)
  assert.deepEqual(await lookup.find('good'), { found: 'row', at: clock.now })
  assert.deepEqual(await lookup.find('made up'), { found: undefined, at: clock.now })
  clock.now += 999
  assert.equal(lookup.recent('good')?.found, 'row')
  assert.deepEqual(lookup.recent('made up'), { found: undefined, at: clock.now - 999 })
  clock.now += 1
  assert.equal(lookup.recent('good'), undefined)
  assert.equal(lookup.recent('made up'), undefined)
  assert.deepEqual(asked, ['good', 'made up'])
})

test('a clock that was set back makes nothing known for longer', async () => {
  const { lookup, clock } = setting()
  await lookup.find('good')
  clock.now -= 1
  assert.equal(lookup.recent('good'), undefined)
})

test('the second counts from the question, not from the answer', async () => {
  const clock = { now: 1000 }
  const { promise, resolve } = Promise.withResolvers<string>()
  const lookup = createCallerLookup({ load: () => promise, now: () => clock.now })
  const found = lookup.find('slow')
  clock.now += 1000
  resolve('row')
  assert.equal((await found).at, 1000)
  assert.equal(lookup.recent('slow'), undefined)
})

test('many who ask for one name at once share one question', async () => {
  const { lookup, asked } = setting()
  await Promise.all(Array.from({ length: 50 }, () => lookup.find('good')))
  assert.deepEqual(asked, ['good'])
})

test('what is gone is gone after a second', async () => {
  const { lookup, rows, clock } = setting()
  await lookup.find('good')
  rows.delete('good')
  clock.now += 1000
  assert.equal((await lookup.find('good')).found, undefined)
  assert.deepEqual(lookup.recent('good'), { found: undefined, at: clock.now })
})

test('a flood of made-up names pushes no good one out', async () => {
  const { lookup, asked } = setting()
  await lookup.find('good')
  for (let index = 0; index < 30_000; index += 1) await lookup.find(`made up ${index}`)
  assert.equal(lookup.recent('good')?.found, 'row')
  assert.equal(asked.filter((name) => name === 'good').length, 1)
})

test('only so many unknown names are looked up at once, and a known one never waits for them', async () => {
  const clock = { now: 1000 }
  const held: (() => void)[] = []
  let isHeld = false
  const load = async (name: string): Promise<string | undefined> => {
    if (isHeld && name !== 'good') await new Promise<void>((resolve) => held.push(resolve))
    return name === 'good' ? 'row' : undefined
  }
  const lookup = createCallerLookup({ load, now: () => clock.now })
  await lookup.find('good')
  isHeld = true
  const strangers = Array.from({ length: 1000 }, (_, index) => lookup.find(`made up ${index}`))
  await assert.rejects(lookup.find('one more'), { code: 'unavailable', reason: 'overloaded' })
  await assert.rejects(lookup.find('one more'), { code: 'unavailable', reason: 'overloaded' })
  clock.now += 1000
  assert.equal((await lookup.find('good')).found, 'row')
  for (const release of held) release()
  await Promise.all(strangers)
  isHeld = false
  assert.equal((await lookup.find('one more')).found, undefined)
})

test('a store that fails is unavailable, says nothing of itself, and is asked again', async () => {
  let count = 0
  const cause = new Failure('misconfigured', 'Postgres at db.internal:5432 refuses the password')
  const lookup = createCallerLookup<string>({
    load: () => {
      count += 1
      if (count === 1) throw cause
      return count === 2 ? Promise.reject(cause) : Promise.resolve('row')
    },
    now: () => 1000,
  })
  for (let tries = 0; tries < 2; tries += 1) {
    const failure = await lookup.find('good').catch((error: unknown) => error)
    assert.ok(failure instanceof Failure)
    assert.deepEqual(
      [failure.code, failure.reason, failure.cause],
      ['unavailable', 'store_unavailable', cause],
    )
    assert.doesNotMatch(failure.message, /Postgres|db\.internal/)
  }
  assert.equal((await lookup.find('good')).found, 'row')
})
