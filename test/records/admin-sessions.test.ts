import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { forEachEngine } from '../store/engines.ts'
import { type AdminServer, by, startAdminServer } from './admin-server.ts'

interface Shown {
  readonly id: string
  readonly principal: string
  readonly credential: { readonly id: string }
}

/** Two sessions of alice, one of bob, and one of another alice. */
async function fill(admin: AdminServer): Promise<void> {
  await admin.record([
    { by: by('alice', admin.issuer, 'a-1') },
    { by: by('alice', admin.issuer, 'a-1'), decision: 'deny', reason: 'insufficient_scope', status: 403 },
    { by: by('alice', admin.issuer, 'a-2'), surface: 'models', tokensIn: 3, tokensOut: 5 },
    { by: by('bob', admin.issuer, 'b-1') },
    { by: by('alice', 'https://other.example', 'o-1') },
    { by: null, decision: 'deny', reason: 'missing_token', status: 401 },
  ])
}

forEachEngine((engine) => {
  test('sessions are listed newest first, with exact totals, and found by their ids', async () => {
    await using admin = await startAdminServer({ engine })
    await fill(admin)
    const list = await admin.call('/sessions')
    const { items, total, offset, limit } = list.json()
    assert.deepEqual({ total, offset, limit }, { total: 4, offset: 0, limit: 50 })
    assert.equal(list.headers['x-total-count'], '4')
    const times = items.map(({ created_at }: { created_at: string }) => created_at)
    assert.deepEqual(times, times.toSorted().toReversed())
    const first = items.find(({ credential }: Shown) => credential.id === 'a-1')
    const { calls, denials, state, surface } = first
    assert.deepEqual(
      { calls, denials, state, surface },
      { calls: 2, denials: 1, state: 'active', surface: 'tools' },
    )
    assert.deepEqual((await admin.call(`/sessions/${first.id}`)).json(), first)
    const tokens = items.find(({ credential }: Shown) => credential.id === 'a-2')
    assert.deepEqual([tokens.tokens_in, tokens.tokens_out], [3, 5])
  })

  test('a session says what people know its principal by, where a credential said so', async () => {
    await using admin = await startAdminServer({ engine })
    await admin.record([
      { by: { ...by('01a1dfda', admin.issuer, 'a-1'), name: 'ada' } },
      { by: by('bob', admin.issuer, 'b-1') },
    ])
    const { items } = (await admin.call('/sessions')).json()
    assert.deepEqual(
      items.map((one: Shown & { principal_name: unknown }) => [one.principal, one.principal_name]).toSorted(),
      [
        ['01a1dfda', 'ada'],
        ['bob', null],
      ],
    )
  })

  test('sessions are found by whose they are, and an owner asks for no others', async () => {
    await using admin = await startAdminServer({ engine })
    await fill(admin)
    const found = async (query: string, token?: string): Promise<unknown> => {
      const { statusCode, headers, body } = await admin.call(`/sessions?${query}`, token ? { token } : {})
      if (statusCode !== 200) return `${statusCode} ${JSON.parse(body).detail}`
      const ids = JSON.parse(body).items.map(({ credential }: Shown) => credential.id)
      assert.equal(headers['x-total-count'], String(ids.length))
      return ids.toSorted()
    }
    const own = admin.token('own:read', 'alice')
    const issuer = encodeURIComponent(admin.issuer)
    assert.deepEqual(await found('principal=alice'), ['a-1', 'a-2', 'o-1'])
    assert.deepEqual(await found(`principal=alice&issuer=${issuer}`), ['a-1', 'a-2'])
    assert.deepEqual(await found('principal=carol'), [])
    assert.deepEqual(await found('principal=alice', own), ['a-1', 'a-2'])
    assert.equal(
      await found('principal=bob', own),
      '403 insufficient scope: own:read shows your own records alone',
    )
    assert.equal(
      await found('principal=alice&issuer=https://other.example', own),
      '403 insufficient scope: own:read shows your own records alone',
    )
    assert.equal(await found(`issuer=${issuer}`), '400 issuer is understood only beside a principal')
    const { headers } = await admin.call('/sessions?principal=alice&limit=1')
    assert.match(String(headers.link), /\/sessions\?principal=alice&limit=1&offset=1>; rel="next"/)
  })

  test('who may see their own sees no more, and what is of others is not there', async () => {
    await using admin = await startAdminServer({ engine })
    await fill(admin)
    const all: readonly Shown[] = (await admin.call('/sessions')).json().items
    const own = admin.token('own:read own:write', 'alice')
    const mine = await admin.call('/sessions', { token: own })
    assert.deepEqual(
      mine
        .json()
        .items.map(({ credential }: Shown) => credential.id)
        .toSorted(),
      ['a-1', 'a-2'],
    )
    assert.equal(mine.headers['x-total-count'], '2')
    for (const { id, credential } of all) {
      const isMine = credential.id.startsWith('a-')
      assert.equal((await admin.call(`/sessions/${id}`, { token: own })).statusCode, isMine ? 200 : 404)
    }
    const foreign = all.filter(({ credential }) => !credential.id.startsWith('a-'))
    for (const { id } of foreign) {
      assert.equal((await admin.call(`/sessions/${id}`, { method: 'DELETE', token: own })).statusCode, 404)
      assert.equal((await admin.call(`/sessions/${id}`)).json().revoked_at, null)
    }
    const onlyReading = admin.token('own:read', 'alice')
    const refused = await admin.call(`/sessions/${all[0]?.id}`, { method: 'DELETE', token: onlyReading })
    assert.equal(refused.statusCode, 403)
  })

  test('ending a session refuses its token here within a second, and may be asked for twice', async () => {
    await using admin = await startAdminServer({ engine })
    const token = admin.token('own:read own:write', 'alice')
    await admin.call('/sessions', { token })
    const principal = admin.decisions.at(-1)?.principal
    assert.ok(principal !== undefined)
    const { kind, id: credential } = principal.credential
    await admin.record([
      {
        by: {
          ...principal,
          principal: 'alice',
          client: null,
          credential: { kind, id: credential },
          expires: null,
          held: [],
        },
      },
    ])
    const { items } = (await admin.call('/sessions', { token })).json()
    assert.equal(items.length, 1)
    for (const status of [204, 204])
      assert.equal((await admin.call(`/sessions/${items[0].id}`, { method: 'DELETE' })).statusCode, status)
    assert.equal((await admin.call(`/sessions/${items[0].id}`)).json().state, 'revoked')
    const before = performance.now()
    let last = 200
    for (let begun = before; last === 200; begun = performance.now()) {
      assert.ok(begun - before < 1000, 'a call that began a second later is refused')
      last = (await admin.call('/sessions', { token })).statusCode
      // On SQLite nothing else waits, and news are read by a timer.
      await pause(20)
    }
    assert.equal(last, 401)
  })

  test('a session that is not there is 404', async () => {
    await using admin = await startAdminServer({ engine })
    for (const id of ['019a8e0c-5f2b-7c41-9a3e-0123456789ab', 'x', "'", '%F0%9F%98%80'])
      for (const method of ['GET', 'DELETE'] as const)
        assert.equal((await admin.call(`/sessions/${id}`, { method })).statusCode, 404)
  })
})
