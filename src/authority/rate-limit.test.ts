import assert from 'node:assert/strict'
import { test } from 'node:test'
import { forEachEngine } from '../../test/store/engines.ts'
import { migrations } from '../store/migrations.ts'
import type { StoreSchema } from '../store/store.ts'
import { createRateLimit } from './rate-limit.ts'

forEachEngine((engine) => {
  test('an address may do it so often in a period, on all instances together, and then has to wait', async () => {
    await using store = await engine.open<StoreSchema>(migrations)
    let at = 1_700_000_100_000_000
    const options = { name: 'register', most: 3, seconds: 600 }
    const limits = [0, 1].map(() => createRateLimit(store, () => at, options))
    const many = (): Promise<number[]> =>
      Promise.all(limits.flatMap((limit) => [limit('192.0.2.1'), limit('192.0.2.1')]))
    assert.deepEqual(
      (await many()).filter((wait) => wait > 0),
      [300],
    )
    assert.deepEqual(await Promise.all(limits.map((limit) => limit('192.0.2.2'))), [0, 0])
    assert.equal(await createRateLimit(store, () => at, { ...options, name: 'else' })('192.0.2.1'), 0)
    at += 300_000_000
    assert.equal((await many()).filter((wait) => wait === 0).length, 3)
  })
})
