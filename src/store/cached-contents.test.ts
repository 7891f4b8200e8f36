import assert from 'node:assert/strict'
import { test } from 'node:test'
import { forEachEngine } from '../../test/store/engines.ts'
import { type CachedContentOrder, createCachedContents } from './cached-contents.ts'
import { migrations } from './migrations.ts'
import type { StoreSchema } from './store.ts'

function order(more: Partial<CachedContentOrder> = {}): CachedContentOrder {
  return {
    owner: 'alice',
    id: 'one',
    parent: '',
    model: 'models/words',
    display_name: '',
    content: '{"contents":[]}',
    tokens: 3,
    expires_at: 1000,
    ...more,
  }
}

const one = { owner: 'alice', id: 'one', parent: '' }

forEachEngine((engine) => {
  test('what was kept is found by its owner, in its place, until it expires', async () => {
    await using store = await engine.open<StoreSchema>(migrations)
    let time = 100
    const cached = createCachedContents(store, () => time)
    await cached.create(order())
    const found = await cached.findContent(one)
    assert.deepEqual(found, { ...order(), size: 4096, created_at: 100, updated_at: 100 })
    assert.equal(await cached.find({ ...one, owner: 'bob' }), undefined)
    assert.equal(await cached.find({ ...one, parent: 'projects/p/locations/l' }), undefined)
    time = 1000
    assert.equal(await cached.find(one), undefined)
    assert.equal(await cached.extend(one, 2000), undefined)
    assert.equal(await cached.remove(one), false)
  })

  test('an extension keeps it from the sweep, which drops the others', async () => {
    await using store = await engine.open<StoreSchema>(migrations)
    let time = 100
    const cached = createCachedContents(store, () => time)
    await cached.create(order())
    for (let count = 0; count < 25; count += 1) await cached.create(order({ id: `other-${count}` }))
    assert.equal((await cached.extend(one, 5000))?.expires_at, 5000)
    time = 1000
    let dropped = 0
    for (let count = 1; count > 0; dropped += count) count = await cached.sweep()
    assert.equal(dropped, 25)
    assert.equal((await store.db.selectFrom('cached_contents').select('id').execute()).length, 1)
    assert.equal(await cached.remove(one), true)
  })

  test('creations at the same moment cannot take more than the room of their owner', async () => {
    await using store = await engine.open<StoreSchema>(migrations)
    const cached = createCachedContents(store, () => 100, 3 * 5000)
    const content = JSON.stringify({ contents: [], text: '.'.repeat(4950) })
    const results = await Promise.allSettled(
      Array.from({ length: 8 }, (_, count) => cached.create(order({ id: `${count}`, content }))),
    )
    assert.equal(results.filter(({ status }) => status === 'fulfilled').length, 3)
    await assert.rejects(cached.create(order({ content })), {
      code: 'limit-exceeded',
      reason: 'cache_storage_full',
    })
    await cached.create(order({ owner: 'bob', content }))
  })
})
