import assert from 'node:assert/strict'
import { test } from 'node:test'
import { forEachEngine } from '../../test/store/engines.ts'
import { migrations } from '../store/migrations.ts'
import type { StoreSchema } from '../store/store.ts'
import { sweepExpired } from './sweep.ts'
import { createThrottle, type Throttle } from './throttle.ts'

const second = 1_000_000

/** A clock that stands until it is moved. */
function handClock(): { readonly now: () => number; readonly pass: (seconds: number) => void } {
  let at = 1_700_000_000 * second
  return {
    now: () => at,
    pass: (seconds) => {
      at += seconds * second
    },
  }
}

async function waits(
  throttle: Throttle,
  attempts: readonly [login: string, address: string][],
): Promise<number[]> {
  const found: number[] = []
  for (const [login, address] of attempts) found.push(await throttle.begin({ login, address }))
  return found
}

function times(count: number, attempt: readonly [string, string]): [string, string][] {
  return Array.from({ length: count }, () => [...attempt])
}

forEachEngine((engine) => {
  test('after five failures a login waits, twice as long after each further one, from whatever address', async () => {
    await using store = await engine.open<StoreSchema>(migrations)
    const clock = handClock()
    const throttle = createThrottle(store, clock.now)
    assert.deepEqual(await waits(throttle, times(6, ['ada', '192.0.2.1'])), [0, 0, 0, 0, 0, 1])
    const found: number[] = []
    for (let failure = 6; failure <= 16; failure += 1) {
      clock.pass(300)
      assert.equal(await throttle.begin({ login: ' ADA', address: `192.0.2.${failure}` }), 0)
      found.push(await throttle.begin({ login: 'ada', address: '192.0.2.99' }))
    }
    assert.deepEqual(found, [2, 4, 8, 16, 32, 64, 128, 256, 300, 300, 300])
  })

  test('an unknown login waits as a known one does: the throttle knows no users', async () => {
    await using store = await engine.open<StoreSchema>(migrations)
    const throttle = createThrottle(store, handClock().now)
    assert.deepEqual(await waits(throttle, times(6, ['no-such-person', '192.0.2.1'])), [0, 0, 0, 0, 0, 1])
  })

  test('after twenty failures an address waits, whatever the login, and other addresses do not', async () => {
    await using store = await engine.open<StoreSchema>(migrations)
    const throttle = createThrottle(store, handClock().now)
    const guesses = Array.from({ length: 21 }, (_, index): [string, string] => [`user${index}`, '192.0.2.1'])
    assert.deepEqual((await waits(throttle, guesses)).slice(18), [0, 0, 1])
    assert.equal(await throttle.begin({ login: 'user20', address: '192.0.2.2' }), 0)
  })

  test('a success clears the login and takes back its own attempt from the address', async () => {
    await using store = await engine.open<StoreSchema>(migrations)
    const throttle = createThrottle(store, handClock().now)
    for (let round = 0; round < 30; round += 1) {
      const attempt = { login: 'ada', address: '192.0.2.1' }
      assert.equal(await throttle.begin(attempt), 0)
      await throttle.succeed(attempt)
    }
    const rows = await store.db.selectFrom('authority_throttles').selectAll().execute()
    assert.deepEqual(
      rows.map(({ failures }) => failures),
      [0],
    )
  })

  test('an attempt that is withdrawn never was, and those before it stay counted', async () => {
    await using store = await engine.open<StoreSchema>(migrations)
    const throttle = createThrottle(store, handClock().now)
    const attempt = { login: 'ada', address: '192.0.2.1' }
    await waits(throttle, times(4, ['ada', '192.0.2.1']))
    for (let round = 0; round < 30; round += 1) {
      assert.equal(await throttle.begin(attempt), 0)
      await throttle.withdraw(attempt)
    }
    assert.deepEqual(await waits(throttle, times(2, ['ada', '192.0.2.1'])), [0, 1])
  })

  test('guesses at the same moment on two instances are counted before any of them is judged', async () => {
    await using store = await engine.open<StoreSchema>(migrations)
    const { now } = handClock()
    const first = createThrottle(store, now)
    const instances = [first, createThrottle(store, now)]
    const found = await Promise.all(
      Array.from({ length: 24 }, (_, index) =>
        (instances[index % 2] ?? first).begin({ login: 'ada', address: `192.0.2.${index}` }),
      ),
    )
    assert.equal(found.filter((wait) => wait === 0).length, 5)
  })

  test('what is a day old is forgotten, and swept from the store; no login is kept as it was typed', async () => {
    await using store = await engine.open<StoreSchema>(migrations)
    const clock = handClock()
    const throttle = createThrottle(store, clock.now)
    await waits(throttle, times(5, ['ada', '192.0.2.1']))
    clock.pass(86_401)
    assert.equal(await throttle.begin({ login: 'bob', address: '192.0.2.2' }), 0)
    await sweepExpired(store, clock.now)
    const rows = await store.db.selectFrom('authority_throttles').selectAll().execute()
    assert.equal(rows.length, 2)
    assert.doesNotMatch(JSON.stringify(rows), /bob|192\.0/)
  })
})
