import assert from 'node:assert/strict'
import { test } from 'node:test'
import { forEachEngine } from '../../test/store/engines.ts'
import { migrations } from '../store/migrations.ts'
import type { Store, StoreSchema } from '../store/store.ts'
import type { RevokedCredential } from '../store/tables-audit.ts'
import { emptyList, type RevocationList, readNews } from './revocation-list.ts'

const now = 1_800_000_000_000_000
const minute = 60_000_000

function revoke(
  store: Store,
  ...rows: readonly (Partial<RevokedCredential> & { readonly credential: string })[]
) {
  const values = rows.map((row) => ({ revoked_at: now, expires_at: now + 10 * minute, ...row }))
  return store.db.insertInto('revoked_credentials').values(values).execute()
}

const idsOf = ({ ids }: RevocationList): readonly string[] => [...ids].sort()

forEachEngine((engine) => {
  test('a token is known by its id, whatever vouched for it', async () => {
    await using store = await engine.open<StoreSchema>(migrations)
    await revoke(
      store,
      { credential: 'jwt:a' },
      { credential: 'introspection:b' },
      { credential: 'introspection:a' },
    )
    assert.deepEqual(idsOf(await readNews(store, emptyList, now)), ['a', 'b'])
  })

  test('while nothing is new the list stays the same one', async () => {
    await using store = await engine.open<StoreSchema>(migrations)
    assert.equal(await readNews(store, emptyList, now), emptyList)
    await revoke(store, { credential: 'jwt:a' })
    const list = await readNews(store, emptyList, now)
    assert.equal(await readNews(store, list, now + minute), list)
  })

  test('a row is found that becomes visible after younger ones, or was written by a clock that is wrong', async () => {
    await using store = await engine.open<StoreSchema>(migrations)
    await revoke(
      store,
      { credential: 'jwt:on-time' },
      { credential: 'jwt:of-the-future', revoked_at: now * 2 },
    )
    let list = await readNews(store, emptyList, now)
    await revoke(store, { credential: 'jwt:late', revoked_at: now - 60 * minute })
    list = await readNews(store, list, now)
    assert.deepEqual(idsOf(list), ['late', 'of-the-future', 'on-time'])
    await revoke(store, { credential: 'jwt:next' })
    assert.deepEqual(idsOf(await readNews(store, list, now)), ['late', 'next', 'of-the-future', 'on-time'])
  })

  test('what has ended is forgotten an hour later, what has no end is not', async () => {
    await using store = await engine.open<StoreSchema>(migrations)
    await revoke(store, { credential: 'jwt:a' }, { credential: 'jwt:b', expires_at: null })
    const list = await readNews(store, emptyList, now)
    assert.deepEqual(idsOf(await readNews(store, list, now + 69 * minute)), ['a', 'b'])
    const later = await readNews(store, list, now + 71 * minute)
    assert.deepEqual([idsOf(later), later.ends.size], [['b'], 1])
    assert.deepEqual(idsOf(await readNews(store, emptyList, now + 71 * minute)), ['b'])
    assert.deepEqual(idsOf(await readNews(store, later, now)), ['a', 'b'], 'a clock that was set back')
  })

  test('a row that was taken out is in force no longer', async () => {
    await using store = await engine.open<StoreSchema>(migrations)
    await revoke(store, { credential: 'jwt:a' }, { credential: 'jwt:b' })
    const list = await readNews(store, emptyList, now)
    await store.db.deleteFrom('revoked_credentials').where('credential', '=', 'jwt:a').execute()
    assert.deepEqual(idsOf(await readNews(store, list, now)), ['b'])
  })

  test('a list of many pages is read whole', async () => {
    await using store = await engine.open<StoreSchema>(migrations)
    const rows = Array.from({ length: 10_500 }, (_, index) => ({ credential: `jwt:${index}` }))
    for (let start = 0; start < rows.length; start += 1000)
      await revoke(store, ...rows.slice(start, start + 1000))
    const list = await readNews(store, emptyList, now)
    assert.equal(list.ids.size, 10_500)
    await revoke(store, { credential: 'jwt:one more' })
    assert.equal((await readNews(store, list, now)).ids.size, 10_501)
  })
})
