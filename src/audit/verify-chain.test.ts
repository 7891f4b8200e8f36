import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type RawBuilder, sql } from 'kysely'
import { alice, type Book, bookOn, lineOf } from '../../test/records/audit-lines.ts'
import { type DisposableStore, type Engine, forEachEngine } from '../../test/store/engines.ts'
import { migrations } from '../store/migrations.ts'
import type { StoreSchema } from '../store/store.ts'
import type { ChainPlace } from './chain-link.ts'
import { verifyChain } from './verify-chain.ts'

interface Filled extends Book {
  readonly store: DisposableStore<StoreSchema>
}

/** Ten events in three batches. */
async function filled(engine: Engine): Promise<Filled> {
  const store = await engine.open<StoreSchema>(migrations)
  const book = bookOn(store)
  for (const names of ['abcd', 'efg', 'hij']) {
    book.hand.time += 1000
    await book.write(Array.from(names, (name) => lineOf({ target: name, by: { ...alice, principal: name } })))
  }
  return { ...book, store }
}

/** What is done to the log, and where that is found. */
const spoilings: readonly {
  readonly what: string
  readonly how: readonly RawBuilder<unknown>[]
  readonly at: number
}[] = [
  {
    what: 'another body',
    how: [sql`update audit_events set body = replace(body, 'req-1', 'req-2') where seq = 5`],
    at: 5,
  },
  {
    what: 'another hash',
    how: [sql`update audit_events set hash = replace(hash, substr(hash, 1, 1), 'x') where seq = 5`],
    at: 5,
  },
  {
    what: 'another time',
    how: [sql`update audit_events set created_at = created_at + 1 where seq = 5`],
    at: 5,
  },
  { what: 'another principal', how: [sql`update audit_events set principal = 'x' where seq = 5`], at: 5 },
  { what: 'another issuer', how: [sql`update audit_events set issuer = 'x' where seq = 5`], at: 5 },
  { what: 'another action', how: [sql`update audit_events set action = 'x' where seq = 5`], at: 5 },
  { what: 'another decision', how: [sql`update audit_events set decision = 'deny' where seq = 5`], at: 5 },
  { what: 'another surface', how: [sql`update audit_events set surface = 'api' where seq = 5`], at: 5 },
  { what: 'another number', how: [sql`update audit_events set seq = 50 where seq = 5`], at: 5 },
  { what: 'one removed', how: [sql`delete from audit_events where seq = 5`], at: 5 },
  { what: 'the first removed', how: [sql`delete from audit_events where seq = 1`], at: 1 },
  { what: 'the first three removed', how: [sql`delete from audit_events where seq <= 3`], at: 1 },
  { what: 'the last removed', how: [sql`delete from audit_events where seq = 10`], at: 10 },
  { what: 'the last three removed', how: [sql`delete from audit_events where seq >= 8`], at: 8 },
  { what: 'all removed', how: [sql`delete from audit_events`], at: 1 },
  {
    what: 'one removed and the rest renumbered',
    how: [
      sql`delete from audit_events where seq = 5`,
      sql`update audit_events set seq = -(seq - 1) where seq > 5`,
      sql`update audit_events set seq = -seq where seq < 0`,
      sql`update audit_chain set seq = seq - 1`,
    ],
    at: 5,
  },
  {
    what: 'two in each other’s place',
    how: [
      sql`update audit_events set seq = -1 where seq = 4`,
      sql`update audit_events set seq = 4 where seq = 5`,
      sql`update audit_events set seq = 5 where seq = -1`,
    ],
    at: 4,
  },
  {
    what: 'one put in at the end',
    how: [
      sql`insert into audit_events select 11, created_at, principal, issuer, action, decision, surface, body, hash
      from audit_events where seq = 10`,
    ],
    at: 11,
  },
  { what: 'another end of the chain', how: [sql`update audit_chain set seq = 9`], at: 10 },
  { what: 'a later end of the chain', how: [sql`update audit_chain set seq = 11`], at: 11 },
  { what: 'another hash of the end', how: [sql`update audit_chain set hash = 'x'`], at: 10 },
  { what: 'another time of the end', how: [sql`update audit_chain set created_at = 1`], at: 10 },
  { what: 'another size', how: [sql`update audit_chain set bytes = bytes - 1`], at: 10 },
  {
    what: 'a beginning that claims retention',
    how: [sql`delete from audit_events where seq <= 2`, sql`update audit_chain set trimmed_seq = 2`],
    at: 3,
  },
  { what: 'another hash of the beginning', how: [sql`update audit_chain set trimmed_hash = 'x'`], at: 1 },
  { what: 'no end of the chain', how: [sql`delete from audit_chain`], at: 0 },
]

forEachEngine((engine) => {
  test('a log that nobody touched is whole, an empty one too', async () => {
    const { store } = await filled(engine)
    await using _ = store
    const last = await store.db
      .selectFrom('audit_events')
      .select(['seq', 'hash'])
      .where('seq', '=', 10)
      .execute()
    assert.deepEqual(await verifyChain(store), { ok: true, events: 10, head: last[0] })
    await using empty = await engine.open<StoreSchema>(migrations)
    assert.deepEqual(await verifyChain(empty), { ok: true, events: 0, head: { seq: 0, hash: '' } })
  })

  test('every change of the log is found, at its place', async (t) => {
    const { store } = await filled(engine)
    await using _ = store
    for (const table of tables)
      await sql`create table ${sql.ref(`${table}_kept`)} as select * from ${sql.ref(table)}`.execute(store.db)
    for (const { what, how, at } of spoilings)
      await t.test(what, async () => {
        for (const statement of how) await statement.execute(store.db)
        const verdict = await verifyChain(store)
        assert.deepEqual([verdict.ok, verdict.ok || verdict.at], [false, at], JSON.stringify(verdict))
        await restore(store)
      })
    assert.equal((await verifyChain(store)).ok, true)
  })

  test('a log that was made anew, or cut with all that says so, is found by what was noted elsewhere', async () => {
    const { store, write } = await filled(engine)
    await using _ = store
    const verdict = await verifyChain(store)
    assert.ok(verdict.ok)
    const expect = verdict.head
    await write([lineOf()])
    assert.equal((await verifyChain(store, { expect })).ok, true)
    const forged: ChainPlace = { ...expect, hash: expect.hash.replaceAll(/\d/g, '0') }
    assert.deepEqual(await verifyChain(store, { expect: forged }), {
      ok: false,
      at: 10,
      what: 'the event has another hash than the one that is expected',
    })
    await sql`delete from audit_events where seq > 8`.execute(store.db)
    await sql`update audit_chain set seq = 8, hash = (select hash from audit_events where seq = 8),
      created_at = (select created_at from audit_events where seq = 8),
      bytes = (select sum(octet_length(body)) from audit_events)`.execute(store.db)
    assert.equal((await verifyChain(store)).ok, true)
    const cut = await verifyChain(store, { expect })
    assert.deepEqual([cut.ok, cut.ok || cut.at], [false, 9])
  })

  test('a check goes on from where an earlier one ended', async () => {
    const { store } = await filled(engine)
    await using _ = store
    const events = await store.db.selectFrom('audit_events').select(['seq', 'hash']).orderBy('seq').execute()
    const from = events[5]
    assert.ok(from !== undefined)
    const verdict = await verifyChain(store, { from })
    assert.deepEqual(verdict, { ok: true, events: 4, head: events[9] })
    const wrong = await verifyChain(store, { from: { ...from, hash: 'x' } })
    assert.deepEqual([wrong.ok, wrong.ok || wrong.at], [false, 7])
  })

  test('ten thousand events are verified page by page', async () => {
    await using store = await engine.open<StoreSchema>(migrations)
    const { write } = bookOn(store)
    const lines = Array.from({ length: 1000 }, (_, place) => lineOf({ requestId: `req-${place}` }))
    for (let batch = 0; batch < 10; batch += 1) await write(lines)
    const seen: number[] = []
    const verdict = await verifyChain(store, { onProgress: (events) => seen.push(events) })
    assert.deepEqual(verdict.ok && verdict.events, 10_000)
    assert.ok(seen.every((count, place) => count - (seen[place - 1] ?? 0) <= 500) && seen.at(-1) === 10_000)
  })
})

const tables = ['audit_events', 'audit_chain'] as const

async function restore({ db }: DisposableStore<StoreSchema>): Promise<void> {
  for (const table of tables) {
    await sql`delete from ${sql.ref(table)}`.execute(db)
    await sql`insert into ${sql.ref(table)} select * from ${sql.ref(`${table}_kept`)}`.execute(db)
  }
}
