import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { forEachEngine } from '../../test/store/engines.ts'
import { createApiKeys } from './api-keys.ts'
import { migrations } from './migrations.ts'
import { lockOwner } from './owner-lock.ts'
import { createServiceAccounts } from './service-accounts.ts'
import type { Store, StoreSchema } from './store.ts'

const start = 1_763_164_800_000_000
const second = 1_000_000
const place = { universeDomain: 'postern.example', tokenUri: 'https://postern.example/token' }

/** Until a statement waits for a row that another transaction has changed. */
async function somebodyWaits({ db }: Store): Promise<void> {
  const waiting = sql<{ count: number }>`select count(*)::int as count from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`
  for (let count = 0; count === 0; ) count = (await waiting.execute(db)).rows[0]?.count ?? 0
}

forEachEngine((engine) => {
  test('of rotations at once one succeeds, and leaves one successor', async () => {
    await using store = await engine.open<StoreSchema>(migrations)
    const keys = createApiKeys(store, () => start)
    const { row } = await keys.create({ name: 'demo' })
    // Connections that are open already let them run side by side.
    await Promise.all(Array.from({ length: 9 }, () => keys.findById(row.id)))
    const outcomes = await Promise.allSettled(Array.from({ length: 8 }, () => keys.rotate(row.id, 60)))
    const refused = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []))
    const successor = (await keys.findById(row.id))?.replaced_by
    assert.deepEqual(
      refused.map(({ code, message }) => [code, message]),
      Array(7).fill(['conflict', `the API key ${row.id} has been replaced; rotate ${successor} instead`]),
    )
    assert.equal((await store.db.selectFrom('api_keys').select('id').execute()).length, 2)
  })

  test('a key that is revoked while it is being rotated has no successor', async () => {
    await using store = await engine.open<StoreSchema>(migrations)
    const keys = createApiKeys(store, () => start)
    const { row } = await keys.create({ name: 'demo' })
    const { rotation } = await store.db.transaction().execute(async (transaction) => {
      await transaction.updateTable('api_keys').set({ revoked_at: start }).where('id', '=', row.id).execute()
      const begun = Promise.allSettled([keys.rotate(row.id, 60)])
      if (engine.dialect === 'postgres') await somebodyWaits(store)
      return { rotation: begun }
    })
    assert.equal((await rotation)[0]?.status, 'rejected')
    assert.equal((await store.db.selectFrom('api_keys').select('id').execute()).length, 1)
  })

  test('an earlier end that is given to a key while it is being rotated holds', async () => {
    await using store = await engine.open<StoreSchema>(migrations)
    const keys = createApiKeys(store, () => start)
    const { row } = await keys.create({ name: 'demo' })
    const expires_at = start + 30 * second
    const { rotation } = await store.db.transaction().execute(async (transaction) => {
      await transaction.updateTable('api_keys').set({ expires_at }).where('id', '=', row.id).execute()
      const begun = keys.rotate(row.id, 3600)
      if (engine.dialect === 'postgres') await somebodyWaits(store)
      return { rotation: begun }
    })
    assert.equal((await rotation).row.expires_at, expires_at)
    assert.equal((await keys.findById(row.id))?.expires_at, expires_at)
  })

  test('a rotation ends a key that is being added, too', async () => {
    await using store = await engine.open<StoreSchema>(migrations)
    const accounts = createServiceAccounts(store, () => start)
    const { client_email: email } = await accounts.create({ ...place, name: 'robot', scopes: ['a'] })
    const { id = '' } = (await accounts.findByEmail(email)) ?? {}
    const [key] = await accounts.keysOf(id)
    assert.ok(key !== undefined)
    const { rotation } = await store.db.transaction().execute(async (transaction) => {
      await lockOwner(transaction, engine.dialect, `keys of ${id}`)
      await transaction
        .insertInto('service_account_keys')
        .values({ ...key, kid: 'another' })
        .execute()
      const begun = accounts.rotate(email, { ...place, overlapSeconds: 0 })
      if (engine.dialect === 'postgres') await Promise.race([begun, somebodyWaits(store)])
      return { rotation: begun }
    })
    const { private_key_id: fresh } = await rotation
    assert.deepEqual(
      (await accounts.validKeys(id)).map(({ kid }) => kid),
      [fresh],
    )
  })
})
