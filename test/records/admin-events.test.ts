import assert from 'node:assert/strict'
import { test } from 'node:test'
import { verifyChain } from '../../src/audit/verify-chain.ts'
import { forEachEngine } from '../store/engines.ts'
import { by, startAdminServer } from './admin-server.ts'

interface Shown {
  readonly request_id: string
  readonly seq: number
  readonly created_at: string
}

function namesOf(answer: { json: () => { items: readonly Shown[] } }): readonly string[] {
  return answer.json().items.map(({ request_id }) => request_id)
}

forEachEngine((engine) => {
  test('events are shown whole, newest first or oldest first, and every filter leaves what it says', async () => {
    await using admin = await startAdminServer({ engine })
    await admin.record([
      { requestId: 'one' },
      {
        requestId: 'two',
        by: { ...by('alice', admin.issuer, 'alice-1'), name: 'Alice L.' },
        surface: 'models',
        action: 'generateContent',
        target: 'tiny',
        tokensIn: 7,
        tokensOut: 9,
      },
      { requestId: 'three', decision: 'deny', reason: 'insufficient_scope', status: 403 },
      { requestId: 'four', by: by('bob', admin.issuer, 'b-1'), action: 'tools/list', target: null },
    ])
    await admin.record([
      { requestId: 'five', by: null, decision: 'deny', reason: 'missing_token', status: 401, target: null },
      { requestId: 'six', by: by('alice', 'https://other.example', 'o-1') },
    ])
    const all = await admin.call('/events')
    assert.deepEqual(namesOf(all), ['six', 'five', 'four', 'three', 'two', 'one'])
    const { hash, id, seq, created_at, time, ...shown } = all.json().items[4]
    assert.match(hash, /^[0-9a-f]{64}$/)
    assert.match(id, /^[0-9a-f-]{36}$/)
    assert.equal(seq, 2)
    assert.ok(created_at >= time)
    assert.deepEqual(shown, {
      surface: 'models',
      action: 'generateContent',
      target: 'tiny',
      decision: 'allow',
      reason: 'ok',
      status: 200,
      duration_us: 120,
      principal: 'alice',
      principal_name: 'Alice L.',
      issuer: admin.issuer,
      client: 'https://app.example/client.json',
      credential: { kind: 'jwt', id: 'alice-1' },
      scopes_needed: ['notes:read'],
      scopes_held: ['notes:read'],
      tokens_in: 7,
      tokens_out: 9,
      count: null,
      request_id: 'two',
      revision: '2026-07-28',
    })
    const times: readonly Shown[] = all.json().items
    const boundary = times[1]?.created_at ?? ''
    const before = times[2]?.created_at ?? ''
    const filtered = [
      ['order=oldest', ['one', 'two', 'three', 'four', 'five', 'six']],
      ['principal=bob', ['four']],
      ['principal=alice', ['six', 'three', 'two', 'one']],
      [`principal=alice&issuer=${encodeURIComponent(admin.issuer)}`, ['three', 'two', 'one']],
      ['action=tiny', ['two']],
      ['action=tools/list', ['four']],
      ['decision=deny', ['five', 'three']],
      ['surface=models', ['two']],
      ['decision=deny&principal=alice&surface=tools', ['three']],
      [`from=${boundary}`, ['six', 'five']],
      [`to=${before}`, ['four', 'three', 'two', 'one']],
      [`from=${boundary}&to=${before}`, []],
      ['principal=nobody', []],
      ['principal=%00', []],
      [`action=${'x'.repeat(3000)}`, []],
    ] as const
    for (const [query, names] of filtered)
      assert.deepEqual(namesOf(await admin.call(`/events?${query}`)), names, query)
  })

  test('what was done to a key is found by its operation, and says to which', async () => {
    await using admin = await startAdminServer({ engine })
    const action = 'DELETE /api/v1/keys/{id}'
    const about = { surface: 'api', action, status: 204 } as const
    await admin.record([
      { ...about, target: null, requestId: 'before ids were kept' },
      { ...about, target: 'one', requestId: 'of one' },
      { ...about, target: 'two/aa', requestId: 'of two' },
    ])
    const found = (await admin.call(`/events?action=${encodeURIComponent(action)}`)).json().items
    assert.deepEqual(
      found.map((event: Shown & { action: string; target: string | null }) => [event.action, event.target]),
      [
        [action, 'two/aa'],
        [action, 'one'],
        [action, null],
      ],
    )
    assert.deepEqual(namesOf(await admin.call('/events?action=one')), [])
    assert.equal((await verifyChain(admin.store)).ok, true)
  })

  test('who may see their own calls sees no others, whatever they ask for', async () => {
    await using admin = await startAdminServer({ engine })
    await admin.record([
      { requestId: 'mine' },
      { requestId: 'hers', by: by('bob', admin.issuer, 'b-1') },
      { requestId: 'namesake', by: by('alice', 'https://other.example', 'o-1') },
    ])
    const token = admin.token('own:read', 'alice')
    for (const query of ['', '?principal=alice', '?decision=allow', '?surface=tools&order=oldest'])
      assert.deepEqual(namesOf(await admin.call(`/events${query}`, { token })), ['mine'], query)
    for (const query of ['?principal=bob', '?principal=alice&issuer=https://other.example']) {
      const refused = await admin.call(`/events${query}`, { token })
      assert.equal(refused.statusCode, 403)
      assert.match(String(refused.headers['www-authenticate']), /scope="events:read own:read"/)
    }
  })

  test('a row that somebody changed does not hide those around it', async () => {
    await using admin = await startAdminServer({ engine })
    await admin.record([{ requestId: 'one' }, { requestId: 'two' }, { requestId: 'three' }])
    await admin.store.db.updateTable('audit_events').set({ body: 'gone' }).where('seq', '=', 2).execute()
    const { items } = (await admin.call('/events')).json()
    assert.deepEqual(
      items.map(({ reason }: { reason: string }) => reason),
      ['ok', 'unreadable', 'ok'],
    )
  })
})
