import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Kysely, sql } from 'kysely'
import { alice, bookOn, lineOf, start } from '../../test/records/audit-lines.ts'
import { openDatabase, postgres } from '../../test/store/engines.ts'
import { migrations } from '../store/migrations.ts'
import type { Store, StoreSchema } from '../store/store.ts'
import { createLedger } from './ledger.ts'
import { appendAtOnce, type ChainEnd, type WholeBatch } from './ledger-at-once.ts'
import { eventsOf } from './ledger-rows.ts'
import { createSessionBook, type SessionRow } from './ledger-sessions.ts'
import { usageOf } from './ledger-usage.ts'
import { verifyChain } from './verify-chain.ts'

async function chainOf({ db }: Store): Promise<ChainEnd> {
  return db.selectFrom('audit_chain').select(['seq', 'hash', 'created_at']).executeTakeFirstOrThrow()
}

/** Two events of Alice, who has a session. */
async function nextBatch(store: Store, end: ChainEnd): Promise<WholeBatch> {
  const { events, records } = eventsOf([lineOf(), lineOf({ tokensIn: 3 })], end, start + 5)
  const sessions: readonly SessionRow[] = await createSessionBook().found(store.db, 'postgres', records)
  return { spool: 'one', from: 100, position: 300, events, sessions, usage: usageOf(records) }
}

async function everything({ db }: Store): Promise<unknown> {
  const tables = ['audit_events', 'audit_chain', 'audit_spools', 'sessions', 'usage_hours'] as const
  return Promise.all(tables.map((table) => db.selectFrom(table).selectAll().execute()))
}

test('a batch in one statement leaves what the same batch leaves under the lock', async () => {
  await using one = await postgres.open<StoreSchema>(migrations)
  await using other = await postgres.open<StoreSchema>(migrations)
  for (const store of [one, other]) await bookOn(store).write([lineOf()])
  await other.db
    .updateTable('sessions')
    .set({ id: (await one.db.selectFrom('sessions').select('id').executeTakeFirstOrThrow()).id })
    .execute()
  const end = await chainOf(one)
  assert.equal(await appendAtOnce(one.db, end, await nextBatch(one, end)), true)
  await createLedger(other, () => start + 5).append({
    spool: 'one',
    from: 100,
    position: 300,
    lines: [lineOf(), lineOf({ tokensIn: 3 })],
  })
  assert.deepEqual(await everything(one), await everything(other))
  assert.deepEqual((await verifyChain(one)).ok, true)
})

test('what does not follow the end of the chain, or the place of its spool, changes nothing', async () => {
  await using store = await postgres.open<StoreSchema>(migrations)
  await bookOn(store).write([lineOf()])
  const end = await chainOf(store)
  const batch = await nextBatch(store, end)
  const before = await everything(store)
  assert.equal(await appendAtOnce(store.db, { ...end, seq: 0 }, batch), false)
  assert.equal(await appendAtOnce(store.db, { ...end, hash: '' }, batch), false)
  assert.equal(await appendAtOnce(store.db, end, { ...batch, from: 99 }), false)
  assert.equal(await appendAtOnce(store.db, end, { ...batch, spool: 'two', from: 0 }), false)
  assert.equal(await appendAtOnce(store.db, end, { ...batch, events: [] }), false)
  assert.deepEqual(await everything(store), before)
})

test('a statement that commits is on disk, also where Postgres would acknowledge before', async () => {
  await using store = await postgres.open<StoreSchema>(migrations)
  await bookOn(store).write([lineOf()])
  const end = await chainOf(store)
  const batch = await nextBatch(store, end)
  const modes = await store.db.connection().execute(async (db) => {
    await sql`set synchronous_commit = off`.execute(db)
    await sql`begin`.execute(db)
    assert.equal(await appendAtOnce(db, end, batch), true)
    const during = await commitMode(db)
    await sql`commit`.execute(db)
    return [during, await commitMode(db)]
  })
  assert.deepEqual(modes, ['on', 'off'])
})

async function commitMode(db: Kysely<StoreSchema>): Promise<string | undefined> {
  const { rows } = await sql<{ synchronous_commit: string }>`show synchronous_commit`.execute(db)
  return rows[0]?.synchronous_commit
}

test('a ledger that writes alone takes no lock after its first batch, and one that is not alone finds its way', async () => {
  await using database = await postgres.create()
  await using store = await openDatabase<StoreSchema>(database.url, migrations)
  await using elsewhere = await openDatabase<StoreSchema>(database.url, migrations)
  const book = bookOn(store)
  await book.write([lineOf()])
  const locks = await transactionsDuring(store, async () => {
    for (let round = 0; round < 10; round += 1) await book.write([lineOf(), lineOf()])
  })
  assert.equal(locks, 0)
  // Somebody else moves the chain: the next guess is wrong, and nothing is lost or told twice.
  await createLedger(elsewhere, () => start).append({ spool: 'two', from: 0, position: 1, lines: [lineOf()] })
  await book.write([lineOf()])
  // A session that nobody knows yet.
  await book.write([lineOf({ by: { ...alice, credential: { kind: 'jwt', id: 'new' } } })])
  const verdict = await verifyChain(store)
  assert.equal(verdict.ok && verdict.events, 24)
  const sessions = await store.db.selectFrom('sessions').select('calls').orderBy('calls').execute()
  assert.deepEqual(sessions, [{ calls: 1 }, { calls: 23 }])
})

/** How many transactions a store begins meanwhile; a single statement needs none. */
async function transactionsDuring(store: Store, work: () => Promise<void>): Promise<number> {
  let count = 0
  const { db } = store
  const begin = db.transaction.bind(db)
  db.transaction = () => {
    count += 1
    return begin()
  }
  await work()
  db.transaction = begin
  return count
}
