import assert from 'node:assert/strict'
import { test } from 'node:test'
import { alice, bookOn, lineOf, start } from '../../test/records/audit-lines.ts'
import { forEachEngine } from '../../test/store/engines.ts'
import { definePager } from '../paging/pager.ts'
import { createTokenCodec } from '../paging/token-codec.ts'
import { createApiKeys } from '../store/api-keys.ts'
import { migrations } from '../store/migrations.ts'
import type { Store, StoreSchema } from '../store/store.ts'
import type { AuditCaller } from './audit-line.ts'
import { createSessionList, type SessionPlace, sessionSort } from './session-list.ts'

const pager = definePager<SessionPlace>({
  id: 'sessions',
  style: 'offset',
  sorts: { newest: sessionSort },
  total: 'exact',
})

const minute = 60_000_000
const owner = { issuer: alice.issuer, principal: 'alice' }
const namesake = { ...alice, issuer: 'https://other.example', credential: { kind: 'jwt', id: 'c' } }

function withCredential(kind: string, id: string): AuditCaller {
  return { ...alice, credential: { kind, id } }
}

async function idOf({ db }: Store, credential: string): Promise<string> {
  const row = await db
    .selectFrom('sessions')
    .select('id')
    .where('credential_id', '=', credential)
    .executeTakeFirst()
  return row?.id ?? ''
}

async function revocations({ db }: Store): Promise<unknown> {
  return db.selectFrom('revoked_credentials').selectAll().orderBy('credential').execute()
}

forEachEngine((engine) => {
  test('sessions are listed newest first, with their number', async () => {
    await using store = await engine.open<StoreSchema>(migrations)
    const { write } = bookOn(store)
    await write(
      ['k1', 'k2', 'k3', 'k4', 'k5'].map((id, place) =>
        lineOf({ by: withCredential('jwt', id), time: start + Math.min(place, 3) * minute }),
      ),
    )
    const { list } = createSessionList(store, () => start)
    const seen: string[] = []
    for (const offset of ['0', '2', '4']) {
      const page = await list({ pager, request: pager.parse({ limit: '2', offset }) })
      assert.deepEqual(page.total, { value: 5, kind: 'exact' })
      seen.push(...page.items.map(({ credential_id }) => credential_id))
    }
    assert.deepEqual(seen.slice(2), ['k3', 'k2', 'k1'])
    assert.deepEqual(seen.slice(0, 2).toSorted(), ['k4', 'k5'])
  })

  test('the list goes in cursors as well', async () => {
    await using store = await engine.open<StoreSchema>(migrations)
    const { write } = bookOn(store)
    await write(Array.from({ length: 5 }, (_, place) => lineOf({ by: withCredential('jwt', `k${place}`) })))
    const tokens = createTokenCodec({ secrets: ['the secret of the listed sessions, long'] })
    const cursors = definePager<SessionPlace>({
      id: 's',
      style: 'cursor',
      sorts: { newest: sessionSort },
      tokens,
    })
    const { list } = createSessionList(store, () => start)
    const seen = new Set<string>()
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const page = await list({ pager: cursors, request: cursors.parse({ limit: '2', cursor }) })
      for (const { id } of page.items) seen.add(id)
      cursor = page.next
    }
    assert.equal(seen.size, 5)
  })

  test('of the sessions of others an owner sees and ends none', async () => {
    await using store = await engine.open<StoreSchema>(migrations)
    const { write } = bookOn(store)
    await write([
      lineOf(),
      lineOf({ by: namesake }),
      lineOf({ by: { ...namesake, principal: 'bob', credential: { kind: 'jwt', id: 'd' } } }),
    ])
    const sessions = createSessionList(store, () => start)
    const page = await sessions.list({ pager, request: pager.parse({}), filters: owner })
    assert.deepEqual(
      page.items.map(({ credential_id }) => credential_id),
      [alice.credential.id],
    )
    assert.equal(page.total?.value, 1)
    const own = await idOf(store, alice.credential.id)
    assert.equal((await sessions.find(own, owner))?.id, own)
    for (const credential of ['c', 'd']) {
      const id = await idOf(store, credential)
      assert.equal(await sessions.find(id, owner), undefined)
      assert.equal(await sessions.revoke(id, owner), undefined)
      assert.equal((await sessions.find(id))?.revoked_at, null)
    }
    assert.deepEqual(await revocations(store), [])
    assert.equal(await sessions.find('no such'), undefined)
    assert.equal(await sessions.find('no\u0000such'), undefined)
    assert.equal(await sessions.revoke('no such'), undefined)
  })

  test('ending a session of a token ends the token, on every surface, once', async () => {
    await using store = await engine.open<StoreSchema>(migrations)
    const { write } = bookOn(store)
    await write([lineOf(), lineOf({ surface: 'models' }), lineOf({ by: withCredential('jwt', 'b') })])
    const hand = { time: start + minute }
    const sessions = createSessionList(store, () => hand.time)
    const id = await idOf(store, alice.credential.id)
    assert.equal(await sessions.revoke(id, owner), 'revoked')
    hand.time += minute
    assert.equal(await sessions.revoke(id), 'already')
    const rows = await store.db.selectFrom('sessions').select(['credential_id', 'revoked_at']).execute()
    assert.deepEqual(
      rows.filter(({ revoked_at }) => revoked_at !== null),
      Array(2).fill({ credential_id: alice.credential.id, revoked_at: start + minute }),
    )
    assert.deepEqual(await revocations(store), [
      {
        credential: `jwt:${alice.credential.id}`,
        revoked_at: start + minute,
        expires_at: start + 60 * minute,
      },
    ])
  })

  test('ending a session of a token without an end refuses it for good', async () => {
    await using store = await engine.open<StoreSchema>(migrations)
    await bookOn(store).write([lineOf({ by: { ...withCredential('introspection', 'i'), expires: null } })])
    await createSessionList(store, () => start).revoke(await idOf(store, 'i'))
    assert.deepEqual(await revocations(store), [
      { credential: 'introspection:i', revoked_at: start, expires_at: null },
    ])
  })

  test('ending a session of a token that its issuer may extend refuses it for 90 days after its end', async () => {
    await using store = await engine.open<StoreSchema>(migrations)
    const by = { ...withCredential('introspection', 'i'), expires: start / 1_000_000 + 60 }
    await bookOn(store).write([lineOf({ by })])
    const hand = { time: start }
    const sessions = createSessionList(store, () => hand.time)
    const end = async (): Promise<unknown> => {
      assert.equal(await sessions.revoke(await idOf(store, 'i')), 'revoked')
      const rows = await store.db
        .selectFrom('revoked_credentials')
        .select(['revoked_at', 'expires_at'])
        .execute()
      return rows.map(({ revoked_at, expires_at }) => [revoked_at - start, (expires_at ?? 0) - start])
    }
    const long = 90 * 1440 * minute
    assert.deepEqual(await end(), [[0, minute + long]])
    hand.time += 2 * minute
    await store.db.updateTable('sessions').set({ revoked_at: null }).execute()
    assert.deepEqual(await end(), [[2 * minute, 2 * minute + long]], 'used again, and revoked again')
  })

  test('ending a session of an API key revokes the key', async () => {
    await using store = await engine.open<StoreSchema>(migrations)
    const keys = createApiKeys(store, () => start)
    const { row } = await keys.create({ name: 'nightly' })
    const { row: other } = await keys.create({ name: 'other' })
    await bookOn(store).write([lineOf({ by: withCredential('api-key', row.id) })])
    const sessions = createSessionList(store, () => start + minute)
    assert.equal(await sessions.revoke(await idOf(store, row.id)), 'revoked')
    assert.equal((await keys.findById(row.id))?.revoked_at, start + minute)
    assert.equal((await keys.findById(other.id))?.revoked_at, null)
    assert.deepEqual(await revocations(store), [
      { credential: `api-key:${row.id}`, revoked_at: start + minute, expires_at: start + 61 * minute },
    ])
  })

  test('ending a session of a service account revokes the key it signed with', async () => {
    await using store = await engine.open<StoreSchema>(migrations)
    const account = { id: 'acc', email: 'e', name: 'n', project: 'p', scopes: '' }
    const times = { created_at: start, updated_at: start }
    await store.db
      .insertInto('service_accounts')
      .values({ ...account, ...times, disabled_at: null })
      .execute()
    const key = { service_account_id: 'acc', public_jwk: '{}', created_at: start, expires_at: null }
    for (const kid of ['kid-1', 'kid-2'])
      await store.db
        .insertInto('service_account_keys')
        .values({ ...key, kid, revoked_at: null, last_used_at: null })
        .execute()
    const token = { payload: '{}', grant_id: null, uid: null, expires_at: null, consumed_at: null }
    for (const account_id of ['e', 'another'])
      await store.db
        .insertInto('authority_records')
        .values({ ...token, id: account_id, kind: 'ClientCredentials', account_id })
        .execute()
    await bookOn(store).write([lineOf({ by: withCredential('service-account', 'kid-1') })])
    await createSessionList(store, () => start + 1).revoke(await idOf(store, 'kid-1'))
    const left = await store.db
      .selectFrom('service_account_keys')
      .select(['kid', 'revoked_at'])
      .orderBy('kid')
      .execute()
    assert.deepEqual(left, [
      { kid: 'kid-1', revoked_at: start + 1 },
      { kid: 'kid-2', revoked_at: null },
    ])
    const tokens = await store.db.selectFrom('authority_records').select('account_id').execute()
    assert.deepEqual(tokens, [{ account_id: 'another' }])
  })

  test('sessions that are written and ended at once do not wait for each other for ever', async () => {
    await using store = await engine.open<StoreSchema>(migrations)
    const { write } = bookOn(store)
    const ids = Array.from({ length: 30 }, (_, place) => `k${place}`)
    const lines = ids.flatMap((id) => [
      lineOf({ by: withCredential('jwt', id) }),
      lineOf({ by: withCredential('jwt', id), surface: 'api' }),
    ])
    await write(lines)
    const sessions = createSessionList(store, () => start)
    const rows = await store.db.selectFrom('sessions').select('id').orderBy('credential_id', 'desc').execute()
    const writing = (async (): Promise<void> => {
      for (let turn = 0; turn < 10; turn += 1) await write(turn % 2 === 0 ? lines.toReversed() : lines)
    })()
    const outcomes = await Promise.all(rows.map(({ id }) => sessions.revoke(id)))
    await writing
    assert.equal(outcomes.filter((outcome) => outcome === 'revoked').length, 30)
  })
})
