import assert from 'node:assert/strict'
import { test } from 'node:test'
import { alice, bookOn, lineOf, start } from '../../test/records/audit-lines.ts'
import { forEachEngine, openDatabase } from '../../test/store/engines.ts'
import { migrations } from '../store/migrations.ts'
import type { Store, StoreSchema } from '../store/store.ts'
import type { AuditEvent } from '../store/tables-audit.ts'
import { parseRecord } from './audit-line.ts'
import { chainHash } from './chain-hash.ts'
import { createLedger } from './ledger.ts'
import { verifyChain } from './verify-chain.ts'

function eventsIn({ db }: Store): Promise<AuditEvent[]> {
  return db.selectFrom('audit_events').selectAll().orderBy('seq').execute()
}

forEachEngine((engine) => {
  test('lines are numbered, linked and kept byte for byte, in batches of any size', async () => {
    await using store = await engine.open<StoreSchema>(migrations)
    const { write } = bookOn(store)
    const lines = Array.from({ length: 120 }, (_, place) => ` ${lineOf({ requestId: `ü${place}` })}`)
    await write(lines.slice(0, 1))
    await write(lines.slice(1, 78))
    await write(lines.slice(78))
    const events = await eventsIn(store)
    assert.deepEqual(
      events.map(({ body }) => body),
      lines,
    )
    let hash = ''
    for (const [place, event] of events.entries()) {
      assert.equal(event.seq, place + 1)
      assert.equal(event.created_at, start)
      hash = chainHash(hash, event)
      assert.equal(event.hash, hash)
    }
    assert.deepEqual(await store.db.selectFrom('audit_chain').selectAll().execute(), [
      {
        id: 1,
        seq: 120,
        hash,
        created_at: start,
        trimmed_seq: 0,
        trimmed_hash: '',
        bytes: Buffer.byteLength(lines.join('')),
      },
    ])
  })

  test('an event is found by the columns that its line says', async () => {
    await using store = await engine.open<StoreSchema>(migrations)
    const { write } = bookOn(store)
    await write([lineOf(), lineOf({ by: null, target: null, decision: 'deny', surface: 'models' })])
    const columns = ['principal', 'issuer', 'action', 'decision', 'surface'] as const
    assert.deepEqual(await store.db.selectFrom('audit_events').select(columns).orderBy('seq').execute(), [
      { principal: 'alice', issuer: alice.issuer, action: 'echo', decision: 'allow', surface: 'tools' },
      { principal: '', issuer: '', action: 'tools/call', decision: 'deny', surface: 'models' },
    ])
  })

  test('a batch that does not follow what is stored changes nothing', async () => {
    await using store = await engine.open<StoreSchema>(migrations)
    const { ledger, write } = bookOn(store)
    const refused = { code: 'conflict', reason: 'spool_position' }
    await assert.rejects(ledger.append({ spool: 'one', from: 5, position: 9, lines: [lineOf()] }), refused)
    await write([lineOf()])
    for (const from of [0, 99, 101])
      await assert.rejects(ledger.append({ spool: 'one', from, position: 200, lines: [lineOf()] }), refused)
    assert.equal((await eventsIn(store)).length, 1)
    assert.equal(await ledger.positionOf('one'), 100)
    assert.equal((await store.db.selectFrom('sessions').select('calls').executeTakeFirst())?.calls, 1)
  })

  test('every spool has a position of its own, until it is forgotten', async () => {
    await using store = await engine.open<StoreSchema>(migrations)
    const { ledger } = bookOn(store)
    assert.equal(await ledger.positionOf('one'), 0)
    await ledger.append({ spool: 'one', from: 0, position: 70, lines: [lineOf()] })
    await ledger.append({ spool: 'two', from: 0, position: 50, lines: [lineOf()] })
    await ledger.append({ spool: 'one', from: 70, position: 90, lines: [] })
    assert.deepEqual([await ledger.positionOf('one'), await ledger.positionOf('two')], [90, 50])
    await ledger.forget('one')
    assert.deepEqual([await ledger.positionOf('one'), await ledger.positionOf('two')], [0, 50])
  })

  test('a line that cannot be read is recorded as such, without its bytes, and stops nothing', async () => {
    await using store = await engine.open<StoreSchema>(migrations)
    const { write } = bookOn(store)
    await write([lineOf(), lineOf().slice(0, 90), '\u0000secret\u0000', lineOf()])
    const events = await eventsIn(store)
    const read = events.map(({ body }) => parseRecord(body))
    assert.deepEqual(
      read.map((record) => record?.reason),
      ['ok', 'unreadable', 'unreadable', 'ok'],
    )
    assert.deepEqual([read[1]?.action, read[1]?.by, read[1]?.time], ['audit', null, start])
    assert.notEqual(read[1]?.id, read[2]?.id)
    assert.ok(!JSON.stringify(events).includes('secret'))
    assert.equal((await verifyChain(store)).ok, true)
    const calls = await store.db.selectFrom('usage_hours').select('calls').execute()
    assert.deepEqual(calls, [{ calls: 2 }])
  })

  test('text that no column can hold stops nothing', async () => {
    await using store = await engine.open<StoreSchema>(migrations)
    const { write } = bookOn(store)
    const odd = 'a\u0000b\ud800'.repeat(2000)
    const by = { ...alice, principal: odd, issuer: odd, client: odd, credential: { kind: 'jwt', id: odd } }
    await write([lineOf({ target: odd, revision: odd, by }), lineOf({ target: `${odd}x`, by })])
    const events = await eventsIn(store)
    assert.equal(parseRecord(events[0]?.body ?? '')?.by?.principal, odd)
    assert.notEqual(events[0]?.action, events[1]?.action)
    assert.equal((await verifyChain(store)).ok, true)
  })

  test('no event is recorded before the one before it, whatever the clock says', async () => {
    await using store = await engine.open<StoreSchema>(migrations)
    const { hand, write } = bookOn(store)
    await write([lineOf()])
    hand.time -= 1_000_000
    await write([lineOf()])
    hand.time += 5_000_000
    await write([lineOf()])
    const times = (await eventsIn(store)).map(({ created_at }) => created_at - start)
    assert.deepEqual(times, [0, 0, 4_000_000])
  })

  test('a record that is ahead of the clock by more than a minute is told, and not for every batch', async () => {
    await using store = await engine.open<StoreSchema>(migrations)
    await bookOn(store).write([lineOf()])
    const told: string[] = []
    let time = start
    const ledger = createLedger(
      store,
      () => time,
      (words) => told.push(words),
    )
    let position = 0
    const writeAt = async (moment: number): Promise<number> => {
      time = moment
      await ledger.append({ spool: 'slow', from: position, position: position + 1, lines: [lineOf()] })
      position += 1
      return told.length
    }
    const minute = 60_000_000
    assert.equal(await writeAt(start - minute), 0)
    assert.equal(await writeAt(start - 20 * minute), 1)
    assert.equal(await writeAt(start - 19 * minute), 1)
    assert.equal(await writeAt(start - 10 * minute), 2)
    assert.match(String(told[0]), /recorded at 2025-11-15T00:00:00.000000Z, and it is 2025-11-14T23:40/)
  })

  test('of several that write at once each gets its place, and the chain is whole', async () => {
    await using database = await engine.create()
    await using one = await openDatabase<StoreSchema>(database.url, migrations)
    await using other = await openDatabase<StoreSchema>(database.url, migrations)
    const write = async (store: Store, spool: string): Promise<void> => {
      const ledger = createLedger(store, () => start)
      for (let from = 0; from < 20; from += 1)
        await ledger.append({
          spool,
          from,
          position: from + 1,
          lines: [lineOf(), lineOf({ requestId: spool })],
        })
    }
    await Promise.all([write(one, 'a'), write(other, 'b'), write(one, 'c'), write(other, 'd')])
    const verdict = await verifyChain(one)
    assert.deepEqual(verdict.ok && verdict.events, 160)
    assert.equal((await one.db.selectFrom('sessions').select('calls').executeTakeFirst())?.calls, 160)
    assert.equal((await one.db.selectFrom('usage_hours').select('calls').executeTakeFirst())?.calls, 160)
  })

  test('of two that read one spool only one goes on', async () => {
    await using database = await engine.create()
    await using one = await openDatabase<StoreSchema>(database.url, migrations)
    await using other = await openDatabase<StoreSchema>(database.url, migrations)
    const append = (store: Store): Promise<void> =>
      createLedger(store, () => start).append({ spool: 'a', from: 0, position: 9, lines: [lineOf()] })
    const outcomes = await Promise.allSettled([append(one), append(other), append(one), append(other)])
    assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 1)
    assert.equal((await eventsIn(one)).length, 1)
  })
})
