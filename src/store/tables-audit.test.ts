import assert from 'node:assert/strict'
import { test } from 'node:test'
import { forEachEngine } from '../../test/store/engines.ts'
import { createLog } from '../log/log.ts'
import { migrate } from './migrate.ts'
import { migrations } from './migrations.ts'
import type { StoreSchema } from './store.ts'

const session = {
  created_at: 1,
  last_seen_at: 1,
  surface: 'tools',
  principal: 'alice',
  issuer: 'https://issuer.example',
  client: null,
  credential_kind: 'jwt',
  credential_id: 'c',
  credential_expires_at: null,
  revision: '',
  calls: 1,
  denials: 0,
  tokens_in: 0,
  tokens_out: 0,
  revoked_at: null,
} as const

forEachEngine((engine) => {
  test('sessions of before names were kept stay, without one, and so do those of a gateway that knows none', async () => {
    const before = migrations.slice(
      0,
      migrations.findIndex(({ name }) => name === 'session names'),
    )
    await using store = await engine.open<Before>(before)
    const { db } = store
    await db
      .insertInto('sessions')
      .values({ ...session, id: 'old' })
      .execute()
    await migrate(store, migrations, { log: createLog({ level: 'silent' }), now: () => 1 })
    await db
      .insertInto('sessions')
      .values({ ...session, id: 'older gateway' })
      .execute()
    const rows = await db.selectFrom('sessions').selectAll().orderBy('id').execute()
    assert.deepEqual(rows, [
      { ...session, id: 'old', principal_name: null },
      { ...session, id: 'older gateway', principal_name: null },
    ])
  })
})

interface Before extends Omit<StoreSchema, 'sessions'> {
  readonly sessions: Omit<StoreSchema['sessions'], 'principal_name'>
}
