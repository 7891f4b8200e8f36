import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { alice, bookOn, lineOf, start } from '../../test/records/audit-lines.ts'
import { forEachEngine } from '../../test/store/engines.ts'
import { migrations } from '../store/migrations.ts'
import type { Store, StoreSchema } from '../store/store.ts'
import { trim } from './trim.ts'
import { verifyChain } from './verify-chain.ts'

const day = 86_400_000_000
const now = (): number => start

/** Events of several days, as many on each. */
async function fill(store: Store, days: number, each: number): Promise<void> {
  const { hand, write } = bookOn(store)
  for (let count = 0; count < days; count += 1) {
    await write(Array.from({ length: each }, () => lineOf({ time: hand.time })))
    hand.time += day
  }
}

async function numbersIn({ db }: Store): Promise<readonly (number | null | undefined)[]> {
  const query = db
    .selectFrom('audit_events')
    .select(({ fn }) => [fn.min('seq').as('first'), fn.max('seq').as('last')])
  const found = await query.executeTakeFirst()
  return [found?.first, found?.last]
}

forEachEngine((engine) => {
  test('what is older than wanted is removed, in chunks, and the rest of the chain is whole', async () => {
    await using store = await engine.open<StoreSchema>(migrations)
    await fill(store, 4, 700)
    const before = await verifyChain(store)
    assert.deepEqual(await trim(store, { olderThan: start + 2 * day, now }), { events: 1400 })
    assert.deepEqual(await numbersIn(store), [1401, 2800])
    const after = await verifyChain(store)
    assert.deepEqual(after, { ...before, events: 1400 })
    assert.deepEqual(await trim(store, { olderThan: start + 2 * day, now }), { events: 0 })
  })

  test('the oldest are removed until the rest is small enough', async () => {
    await using store = await engine.open<StoreSchema>(migrations)
    await fill(store, 2, 300)
    const size = Buffer.byteLength(lineOf())
    await trim(store, { mostBytes: 250 * size + 1, now })
    assert.deepEqual(await numbersIn(store), [351, 600])
    const chain = await store.db.selectFrom('audit_chain').select(['bytes', 'trimmed_seq']).executeTakeFirst()
    assert.deepEqual(chain, { bytes: 250 * size, trimmed_seq: 350 })
    assert.equal((await verifyChain(store)).ok, true)
  })

  test('a log of which nothing is left goes on where it was', async () => {
    await using store = await engine.open<StoreSchema>(migrations)
    const { hand, write } = bookOn(store)
    await write([lineOf(), lineOf()])
    await trim(store, { olderThan: start + 1, now })
    assert.deepEqual(await verifyChain(store).then((verdict) => verdict.ok && verdict.events), 0)
    hand.time += 1
    await write([lineOf()])
    assert.deepEqual(await numbersIn(store), [3, 3])
    assert.equal((await verifyChain(store)).ok, true)
    await sql`update audit_chain set trimmed_hash = 'x'`.execute(store.db)
    assert.equal((await verifyChain(store)).ok, false)
  })

  test('an event that retention has removed cannot be expected any more, but the last of them can', async () => {
    await using store = await engine.open<StoreSchema>(migrations)
    await fill(store, 2, 2)
    const places = await store.db.selectFrom('audit_events').select(['seq', 'hash']).orderBy('seq').execute()
    await trim(store, { olderThan: start + day, now })
    const verdicts = await Promise.all(places.map((expect) => verifyChain(store, { expect })))
    assert.deepEqual(
      verdicts.map(({ ok }) => ok),
      [false, true, true, true],
    )
  })

  test('a break in the chain is not removed, so that it can still be found', async () => {
    await using store = await engine.open<StoreSchema>(migrations)
    await fill(store, 2, 4)
    await sql`delete from audit_events where seq = 3`.execute(store.db)
    const broken = { code: 'conflict', reason: 'chain_broken', message: /event 3 .* postern events verify/ }
    await assert.rejects(trim(store, { olderThan: start + 9 * day, now }), broken)
    const verdict = await verifyChain(store)
    assert.deepEqual([verdict.ok, verdict.ok || verdict.at], [false, 3])
  })

  test('a break in the chain keeps nothing else from being removed', async () => {
    await using store = await engine.open<StoreSchema>(migrations)
    const { write } = bookOn(store)
    await write([lineOf({ time: start - 740 * day })])
    await store.db
      .insertInto('revoked_credentials')
      .values({ credential: 'jwt:ended', revoked_at: 1, expires_at: start - 2 * day })
      .execute()
    await sql`update audit_events set body = replace(body, 'alice', 'malice')`.execute(store.db)
    await assert.rejects(trim(store, { olderThan: start + day, now }), { reason: 'chain_broken' })
    assert.deepEqual(await numbersIn(store), [1, 1])
    for (const table of ['sessions', 'usage_hours', 'revoked_credentials'] as const)
      assert.deepEqual(await store.db.selectFrom(table).selectAll().execute(), [], table)
  })

  test('after events from a clock that is years ahead, retention goes by what events say of themselves', async () => {
    await using store = await engine.open<StoreSchema>(migrations)
    const { hand, write } = bookOn(store)
    const eventsOn = async (time: number, count: number): Promise<void> => {
      hand.time = time
      await write(Array.from({ length: count }, () => lineOf({ time })))
    }
    await eventsOn(start, 3)
    await eventsOn(start + 3650 * day, 1400)
    await eventsOn(start + day, 600)
    await eventsOn(start + 3650 * day, 4)
    const at = (days: number): { olderThan: number; now: () => number } => ({
      olderThan: start + (days - 90) * day,
      now: () => start + days * day,
    })
    // Nothing is behind the last of them, so nothing says how old they are.
    assert.deepEqual(await trim(store, at(100)), { events: 2003 })
    await eventsOn(start + 99 * day, 5)
    assert.deepEqual(await trim(store, at(100)), { events: 0 })
    assert.deepEqual(await trim(store, at(200)), { events: 9 })
    assert.equal((await verifyChain(store)).ok, true)
  })

  test('sessions go when they were idle as long as events are kept, however old they are', async () => {
    await using store = await engine.open<StoreSchema>(migrations)
    const { write } = bookOn(store)
    const by = { ...alice, credential: { kind: 'jwt', id: 'b' } }
    await write([lineOf({ time: start - 3 * day }), lineOf({ time: start - 3 * day, by })])
    await store.db
      .updateTable('sessions')
      .set({ last_seen_at: start })
      .where('credential_id', '=', 'b')
      .execute()
    await trim(store, { olderThan: start - day, now })
    const left = await store.db.selectFrom('sessions').select('credential_id').execute()
    assert.deepEqual(left, [{ credential_id: 'b' }])
  })

  test('usage is kept for two years, and a revocation until its credential has long ended', async () => {
    await using store = await engine.open<StoreSchema>(migrations)
    const { write } = bookOn(store)
    await write([lineOf(), lineOf({ time: start - 700 * day }), lineOf({ time: start - 740 * day })])
    await store.db
      .insertInto('revoked_credentials')
      .values([
        { credential: 'jwt:ended', revoked_at: 1, expires_at: start - 2 * day },
        { credential: 'jwt:just-ended', revoked_at: 1, expires_at: start - 1 },
        { credential: 'jwt:endless', revoked_at: 1, expires_at: null },
      ])
      .execute()
    await trim(store, { now })
    assert.equal((await store.db.selectFrom('usage_hours').select('hour').execute()).length, 2)
    const left = await store.db
      .selectFrom('revoked_credentials')
      .select('credential')
      .orderBy('credential')
      .execute()
    assert.deepEqual(left, [{ credential: 'jwt:endless' }, { credential: 'jwt:just-ended' }])
    assert.deepEqual(await numbersIn(store), [1, 3])
  })

  test('an hour of many rows goes a few hundred at a time', async () => {
    await using store = await engine.open<StoreSchema>(migrations)
    const { write } = bookOn(store)
    const time = start - 740 * day
    await write(Array.from({ length: 1200 }, (_, place) => lineOf({ time, target: `tool-${place}` })))
    await write([lineOf()])
    const removed: bigint[] = []
    const db = store.db.withPlugin({
      transformQuery: ({ node }) => node,
      transformResult: ({ result }) => {
        removed.push(result.numAffectedRows ?? 0n)
        return Promise.resolve(result)
      },
    })
    await trim({ ...store, db }, { now })
    assert.equal((await store.db.selectFrom('usage_hours').select('hour').execute()).length, 1)
    assert.ok(removed.includes(500n) && removed.every((count) => count <= 500n), removed.join())
  })
})
