import assert from 'node:assert/strict'
import { test } from 'node:test'
import { alice, bookOn, lineOf, start } from '../../test/records/audit-lines.ts'
import { forEachEngine } from '../../test/store/engines.ts'
import { migrations } from '../store/migrations.ts'
import type { Store, StoreSchema } from '../store/store.ts'
import type { Session } from '../store/tables-audit.ts'
import { createLedger } from './ledger.ts'

const minute = 60_000_000
const bob = {
  ...alice,
  principal: 'bob',
  credential: { kind: 'api-key', id: 'b' },
  client: null,
  expires: null,
}

function sessionsIn({ db }: Store): Promise<Session[]> {
  return db.selectFrom('sessions').selectAll().orderBy('created_at').orderBy('principal').execute()
}

function spans(sessions: readonly Session[]): readonly (readonly number[])[] {
  return sessions.map(({ created_at, last_seen_at, calls }) => [
    (created_at - start) / minute,
    (last_seen_at - start) / minute,
    calls,
  ])
}

const at = (minutes: number): { time: number } => ({ time: start + minutes * minute })

forEachEngine((engine) => {
  test('a session says who used which credential where, and how much', async () => {
    await using store = await engine.open<StoreSchema>(migrations)
    const { write } = bookOn(store)
    await write([
      lineOf({ tokensIn: 5, tokensOut: 7 }),
      lineOf({ ...at(1), decision: 'deny', revision: '2026-07-28' }),
      lineOf({ by: null }),
    ])
    await write([lineOf({ ...at(2), tokensIn: 1, revision: '2026-07-28' })])
    const [session, ...others] = await sessionsIn(store)
    assert.deepEqual(others, [])
    assert.match(session?.id ?? '', /^019a84cf-c400-7000-/)
    assert.deepEqual(
      { ...session, id: '' },
      {
        id: '',
        created_at: start,
        last_seen_at: start + 2 * minute,
        surface: 'tools',
        principal: 'alice',
        principal_name: null,
        issuer: alice.issuer,
        client: 'desk',
        credential_kind: 'jwt',
        credential_id: alice.credential.id,
        credential_expires_at: start + 60 * minute,
        revision: '2026-07-28',
        calls: 3,
        denials: 1,
        tokens_in: 6,
        tokens_out: 7,
        revoked_at: null,
      },
    )
  })

  test('a session says when its credential ends as that was said last, for an issuer may extend it', async () => {
    await using store = await engine.open<StoreSchema>(migrations)
    const { write } = bookOn(store)
    const said = (minutes: number): string =>
      lineOf({ ...at(minutes), by: { ...alice, expires: start / 1_000_000 + (minutes + 5) * 60 } })
    const ends = async (): Promise<readonly number[]> =>
      (await sessionsIn(store)).map((session) => ((session.credential_expires_at ?? 0) - start) / minute)
    await write([said(0), said(2), said(1)])
    assert.deepEqual(await ends(), [7])
    await write([said(9)])
    assert.deepEqual(await ends(), [14])
    await write([said(4)])
    assert.deepEqual(await ends(), [14], 'recorded late')
  })

  test('a session has the name that was said last, and keeps it when nobody says one', async () => {
    await using store = await engine.open<StoreSchema>(migrations)
    const { write } = bookOn(store)
    const named = (name: string): string => lineOf({ by: { ...alice, name } })
    const names = async (): Promise<readonly unknown[]> =>
      (await sessionsIn(store)).map(({ principal_name }) => principal_name)
    await write([lineOf()])
    assert.deepEqual(await names(), [null])
    await write([named('a'), named('Alice')])
    assert.deepEqual(await names(), ['Alice'])
    await write([lineOf()])
    assert.deepEqual(await names(), ['Alice'])
    await write([named(`Ali\u0000ce${'x'.repeat(500)}`)])
    assert.match(String((await names())[0]), /^Alicex{94}…sha256:/)
  })

  test('credentials and surfaces have sessions of their own', async () => {
    await using store = await engine.open<StoreSchema>(migrations)
    const { write } = bookOn(store)
    const key = { ...alice, credential: { kind: 'api-key', id: alice.credential.id } }
    await write([lineOf(), lineOf({ by: bob }), lineOf({ surface: 'models' }), lineOf({ by: key }), lineOf()])
    const sessions = await sessionsIn(store)
    assert.deepEqual(
      sessions.map(({ calls }) => calls).toSorted((one, other) => one - other),
      [1, 1, 1, 2],
    )
    const [bobs] = sessions.filter(({ principal }) => principal === 'bob')
    assert.deepEqual([bobs?.client, bobs?.credential_expires_at], [null, null])
  })

  test('after half an hour without a call a new session begins, within a batch and between two', async () => {
    await using store = await engine.open<StoreSchema>(migrations)
    const { write } = bookOn(store)
    await write([lineOf(at(0)), lineOf(at(30)), lineOf(at(61))])
    await write([lineOf(at(90)), lineOf(at(121))])
    assert.deepEqual(spans(await sessionsIn(store)), [
      [0, 30, 2],
      [61, 90, 2],
      [121, 121, 1],
    ])
  })

  test('a process that has just started goes on with the sessions of another', async () => {
    await using store = await engine.open<StoreSchema>(migrations)
    await bookOn(store).write([lineOf(at(0)), lineOf({ by: bob, ...at(0) })])
    await createLedger(store, () => start).append({
      spool: 'two',
      from: 0,
      position: 9,
      lines: [lineOf(at(29)), lineOf({ by: bob, ...at(31) })],
    })
    assert.deepEqual(spans(await sessionsIn(store)), [
      [0, 29, 2],
      [0, 0, 1],
      [31, 31, 1],
    ])
  })

  test('what is recorded late goes where it belongs', async () => {
    await using store = await engine.open<StoreSchema>(migrations)
    await bookOn(store).write([lineOf(at(0)), lineOf(at(100))])
    await createLedger(store, () => start).append({
      spool: 'old',
      from: 0,
      position: 9,
      lines: [lineOf(at(50)), lineOf(at(20)), lineOf(at(90))],
    })
    assert.deepEqual(spans(await sessionsIn(store)), [
      [0, 50, 3],
      [100, 100, 2],
    ])
  })

  test('what was under way when its credential was revoked opens no new session', async () => {
    await using store = await engine.open<StoreSchema>(migrations)
    await bookOn(store).write([lineOf(at(0))])
    await store.db.updateTable('sessions').set({ revoked_at: start }).execute()
    await createLedger(store, () => start).append({
      spool: 'b',
      from: 0,
      position: 9,
      lines: [lineOf(at(1))],
    })
    const sessions = await sessionsIn(store)
    assert.deepEqual(spans(sessions), [[0, 1, 2]])
    assert.equal(sessions[0]?.revoked_at, start)
  })
})
