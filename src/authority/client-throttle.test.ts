import assert from 'node:assert/strict'
import { test } from 'node:test'
import { forEachEngine } from '../../test/store/engines.ts'
import { migrations } from '../store/migrations.ts'
import type { StoreSchema } from '../store/store.ts'
import { type ClientThrottle, createClientThrottle } from './client-throttle.ts'

const second = 1_000_000

interface Desk {
  readonly throttles: readonly [ClientThrottle, ClientThrottle]
  readonly pass: (seconds: number) => void
  /** How often a secret was looked at. */
  readonly looks: () => number
  /** The seconds to wait. */
  readonly guess: (clientId: string, address: string, isRight?: boolean) => Promise<number>
}

/** Two instances on one store, with a clock that stands until it is moved. */
function desk(store: Parameters<typeof createClientThrottle>[0]): Desk {
  let at = 1_700_000_000 * second
  let looks = 0
  let turn = 0
  const now = (): number => at
  const throttles = [createClientThrottle(store, now), createClientThrottle(store, now)] as const
  return {
    throttles,
    pass: (seconds) => {
      at += seconds * second
    },
    looks: () => looks,
    guess: async (clientId, address, isRight = false) => {
      turn += 1
      const { wait } = await throttles[turn % 2 === 0 ? 0 : 1]({ clientId, address }, async () => {
        looks += 1
        return isRight
      })
      return wait
    },
  }
}

forEachEngine((engine) => {
  test('after five wrong secrets a client waits at that address, and even its right one is not looked at', async () => {
    await using store = await engine.open<StoreSchema>(migrations)
    const { guess, looks, pass } = desk(store)
    for (let count = 0; count < 5; count += 1) assert.equal(await guess('gate', '192.0.2.1'), 0)
    assert.equal(await guess('gate', '192.0.2.1', true), 1)
    assert.equal(looks(), 5)
    const waits: number[] = []
    for (let count = 0; count < 9; count += 1) {
      pass(300)
      await guess('gate', '192.0.2.1')
      waits.push(await guess('gate', '192.0.2.1'))
    }
    assert.deepEqual(waits, [2, 4, 8, 16, 32, 64, 128, 256, 300])
  })

  test('the right secret from another address goes on while somebody guesses', async () => {
    await using store = await engine.open<StoreSchema>(migrations)
    const { guess } = desk(store)
    for (let count = 0; count < 8; count += 1) await guess('gate', '192.0.2.1')
    assert.deepEqual([await guess('gate', '192.0.2.1'), await guess('gate', '192.0.2.2', true)], [1, 0])
  })

  test('right secrets never wait, however many come at once, and write nothing', async () => {
    await using store = await engine.open<StoreSchema>(migrations)
    const { guess } = desk(store)
    const waits = await Promise.all(Array.from({ length: 100 }, () => guess('gate', '192.0.2.1', true)))
    assert.deepEqual(new Set(waits), new Set([0]))
    assert.deepEqual(await store.db.selectFrom('authority_throttles').selectAll().execute(), [])
  })

  test('a right secret makes up for the wrong ones before it', async () => {
    await using store = await engine.open<StoreSchema>(migrations)
    const { guess } = desk(store)
    for (let round = 0; round < 30; round += 1) {
      assert.equal(await guess('gate', '192.0.2.1'), 0)
      assert.equal(await guess('gate', '192.0.2.1', true), 0)
    }
    const rows = await store.db.selectFrom('authority_throttles').selectAll().execute()
    assert.deepEqual(
      rows.map(({ failures }) => failures),
      [0],
    )
  })

  test('guesses at the same moment on two instances are counted before any of them is judged', async () => {
    await using store = await engine.open<StoreSchema>(migrations)
    const { guess, looks } = desk(store)
    await guess('gate', '192.0.2.1')
    await Promise.all(Array.from({ length: 24 }, () => guess('gate', '192.0.2.1')))
    assert.equal(looks(), 5)
  })

  test('a client with an old secret never stops the others of its address, but guesses at twenty do', async () => {
    await using store = await engine.open<StoreSchema>(migrations)
    const { guess, pass } = desk(store)
    for (let hour = 0; hour < 40; hour += 1) {
      pass(600)
      await guess('forgetful', '192.0.2.1')
    }
    assert.equal(await guess('gate', '192.0.2.1', true), 0)
    for (let count = 1; count < 20; count += 1) assert.equal(await guess(`client ${count}`, '192.0.2.1'), 0)
    assert.deepEqual([await guess('gate', '192.0.2.1', true), await guess('gate', '192.0.2.2', true)], [1, 0])
  })

  test('right secrets of a client of their own do not make up for guesses at others', async () => {
    await using store = await engine.open<StoreSchema>(migrations)
    const { guess } = desk(store)
    for (let count = 1; count < 20; count += 1) {
      assert.equal(await guess('own', '192.0.2.1'), 0)
      await Promise.all(Array.from({ length: 4 }, () => guess('own', '192.0.2.1', true)))
      assert.equal(await guess(`client ${count}`, '192.0.2.1'), 0)
    }
    await guess('client 20', '192.0.2.1')
    assert.equal(await guess('own', '192.0.2.1', true), 1)
  })

  test('of a first burst of wrong secrets each instance judges fewer than ten', async () => {
    await using store = await engine.open<StoreSchema>(migrations)
    const { guess, looks } = desk(store)
    const waits = await Promise.all(Array.from({ length: 200 }, () => guess('gate', '192.0.2.1')))
    assert.ok(looks() < 20, `${looks()} were judged`)
    assert.equal(waits.filter((wait) => wait > 0).length, 200 - looks())
  })

  test('what is kept names neither the client nor the address', async () => {
    await using store = await engine.open<StoreSchema>(migrations)
    await desk(store).guess('gate', '192.0.2.1')
    const rows = await store.db.selectFrom('authority_throttles').selectAll().execute()
    assert.equal(rows.length, 2)
    assert.doesNotMatch(JSON.stringify(rows), /gate|192\.0/)
  })
})
