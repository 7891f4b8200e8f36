import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { postgres } from '../../test/store/engines.ts'
import { migrations } from '../store/migrations.ts'
import type { StoreSchema } from '../store/store.ts'
import { lockChain } from './ledger-chain.ts'

test('a Postgres that acknowledges before it has written is made to write what is recorded, and nothing else', async () => {
  await using store = await postgres.open<StoreSchema>(migrations)
  const found = await store.db.connection().execute(async (db) => {
    const mode = async (): Promise<string | undefined> =>
      (await sql<{ synchronous_commit: string }>`show synchronous_commit`.execute(db)).rows[0]
        ?.synchronous_commit
    await sql`set synchronous_commit = off`.execute(db)
    await sql`begin`.execute(db)
    await lockChain(db, 'postgres')
    const during = await mode()
    await sql`commit`.execute(db)
    return [during, await mode()]
  })
  assert.deepEqual(found, ['on', 'off'])
})
