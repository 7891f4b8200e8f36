import assert from 'node:assert/strict'
import { test } from 'node:test'
import { forEachEngine } from '../../test/store/engines.ts'
import { migrations } from '../store/migrations.ts'
import type { StoreSchema } from '../store/store.ts'
import { recordsAdapter } from './adapter.ts'
import { createSeal } from './sealed.ts'
import { sweepExpired } from './sweep.ts'

const seal = createSeal('Zk3vQ8nX1rT6yB9mW4pL7sD2gH5jF0aC')
const start = 1_700_000_000_000_000

forEachEngine((engine) => {
  test('what has expired is deleted, batch by batch, and nothing else; two may sweep at once', async () => {
    await using store = await engine.open<StoreSchema>(migrations)
    const grants = recordsAdapter({ store, now: () => start, seal })('Grant')
    const row = { kind: 'Grant', payload: '{}', grant_id: null, uid: null, consumed_at: null }
    const expired = Array.from({ length: 1203 }, (_, index) => ({
      ...row,
      id: `old ${index}`,
      expires_at: start,
    }))
    for (let from = 0; from < expired.length; from += 300)
      await store.db
        .insertInto('authority_records')
        .values(expired.slice(from, from + 300))
        .execute()
    await grants.upsert('new', { jti: 'new' }, 60)
    const now = (): number => start + 1
    const deleted = await Promise.all([sweepExpired(store, now), sweepExpired(store, now)])
    assert.equal(
      deleted.reduce((sum, each) => sum + each),
      1203,
    )
    const left = await store.db.selectFrom('authority_records').select('id').execute()
    assert.deepEqual(left, [{ id: 'new' }])
  })
})
