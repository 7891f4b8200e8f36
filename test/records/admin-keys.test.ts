import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { sql } from 'kysely'
import { startModelServer } from '../model-api/model-server.ts'
import { forEachEngine, sqlite } from '../store/engines.ts'
import { startAdminServer } from './admin-server.ts'

test('a key that the full disk has no room for is answered 503 with Retry-After', async () => {
  await using admin = await startAdminServer({ engine: sqlite })
  // No lower than what is in use already: the next page is one too many.
  await sql`pragma max_page_count = 1`.execute(admin.store.db)
  const make = (count: number): ReturnType<typeof admin.call> =>
    admin.call('/keys', { method: 'POST', body: { name: `key-${count}` } })
  let answer = await make(0)
  for (let count = 1; answer.statusCode === 201; count += 1) answer = await make(count)
  assert.equal(answer.statusCode, 503)
  assert.match(answer.json().detail, /the disk of the server is full; make room on it/)
  assert.match(String(answer.headers['retry-after']), /^\d+$/)
})

forEachEngine((engine) => {
  test('a key that was made here works at the model API until it is revoked here', async () => {
    await using admin = await startAdminServer({ engine })
    await using models = await startModelServer({ store: admin.store })
    const made = await admin.call('/keys', { method: 'POST', body: { name: 'nightly', models: ['wor*'] } })
    assert.equal(made.statusCode, 201)
    const { key, id, hint } = made.json()
    assert.equal(made.headers.location, `${admin.publicUrl}/api/v1/keys/${id}`)
    assert.equal(key.slice(-4), hint)
    const list = (): Promise<{ statusCode: number }> => models.call(key, { url: '/v1beta/models' })
    assert.equal((await list()).statusCode, 200)
    const revoked = await admin.call(`/keys/${id}`, { method: 'DELETE' })
    assert.equal(revoked.statusCode, 204)
    const before = performance.now()
    for (let begun = before; (await list()).statusCode === 200; begun = performance.now()) {
      assert.ok(begun - before < 1000, 'a call that began a second later is refused')
      await pause(20)
    }
  })

  test('a key is changed, shown, rotated with an overlap and revoked, and nothing shows it again', async () => {
    await using admin = await startAdminServer({ engine })
    const made = (
      await admin.call('/keys', { method: 'POST', body: { name: 'first', principal: 'team' } })
    ).json()
    const changed = await admin.call(`/keys/${made.id}`, {
      method: 'PATCH',
      body: {
        name: 'second',
        scopes: ['a:b'],
        addresses: ['10.0.0.0/8'],
        expires_at: '2099-01-02T03:04:05.678901Z',
      },
    })
    assert.equal(changed.statusCode, 200, changed.body)
    const { name, principal, scopes, models, addresses, expires_at } = changed.json()
    assert.deepEqual(
      { name, principal, scopes, models, addresses, expires_at },
      {
        name: 'second',
        principal: 'team',
        scopes: ['a:b'],
        models: null,
        addresses: ['10.0.0.0/8'],
        expires_at: '2099-01-02T03:04:05.678901Z',
      },
    )
    const freed = await admin.call(`/keys/${made.id}`, {
      method: 'PATCH',
      body: { scopes: null, expires_at: null },
    })
    assert.equal(freed.json().scopes, null)
    assert.equal(freed.json().expires_at, null)
    const next = await admin.call(`/keys/${made.id}:rotate`, {
      method: 'POST',
      body: { overlap_seconds: 60 },
    })
    assert.equal(next.statusCode, 201)
    assert.notEqual(next.json().key, made.key)
    const old = (await admin.call(`/keys/${made.id}`)).json()
    assert.equal(old.replaced_by, next.json().id)
    assert.equal(old.state, 'active')
    const leftMs = Date.parse(old.expires_at) - Date.now()
    assert.ok(leftMs > 50_000 && leftMs <= 60_000)
    assert.equal((await admin.call(`/keys/${made.id}:rotate`, { method: 'POST' })).statusCode, 409)
    assert.equal((await admin.call(`/keys/${next.json().id}`, { method: 'DELETE' })).statusCode, 204)
    assert.equal((await admin.call(`/keys/${next.json().id}`, { method: 'DELETE' })).statusCode, 204)
    const late = await admin.call(`/keys/${next.json().id}`, { method: 'PATCH', body: { name: 'x' } })
    assert.equal(late.statusCode, 409)
    const list = await admin.call('/keys')
    assert.deepEqual(
      list.json().items.map(({ state }: { state: string }) => state),
      ['active', 'revoked'],
    )
    for (const secret of [made.key, next.json().key]) {
      assert.ok(!list.body.includes(secret))
      assert.ok(!JSON.stringify([admin.lines, admin.decisions]).includes(secret))
    }
  })

  test('a rotation without an overlap shows the old key as revoked and replaced', async () => {
    await using admin = await startAdminServer({ engine })
    const { id } = (await admin.call('/keys', { method: 'POST', body: { name: 'leaked' } })).json()
    const next = await admin.call(`/keys/${id}:rotate`, { method: 'POST', body: { overlap_seconds: 0 } })
    const old = (await admin.call(`/keys/${id}`)).json()
    assert.deepEqual([old.state, old.expires_at, old.replaced_by], ['revoked', null, next.json().id])
    assert.equal(old.revoked_at, old.updated_at)
    const again = await admin.call(`/keys/${id}:rotate`, { method: 'POST', body: { overlap_seconds: 0 } })
    assert.deepEqual([again.statusCode, again.json().detail.includes(next.json().id)], [409, true])
    assert.equal((await admin.call(`/keys/${id}`, { method: 'DELETE' })).statusCode, 204)
  })

  test('the end of a key is judged by the wall clock, though ids come of a clock that was set back', async () => {
    const wall = (): number => Date.now() * 1000
    await using admin = await startAdminServer({ engine, now: () => wall() + 3600e6, wall })
    const expires_at = new Date(Date.now() + 1800e3).toISOString()
    const made = await admin.call('/keys', { method: 'POST', body: { name: 'short', expires_at } })
    assert.deepEqual([made.statusCode, made.json().state], [201, 'active'], made.body)
    const changed = await admin.call(`/keys/${made.json().id}`, { method: 'PATCH', body: { expires_at } })
    assert.equal(changed.json().state, 'active')
    assert.equal((await admin.call(`/keys/${made.json().id}`)).json().state, 'active')
    assert.equal((await admin.call('/keys')).json().items[0].state, 'active')
  })

  test('no key is made, seen or changed without the scope for it', async () => {
    await using admin = await startAdminServer({ engine })
    const { id } = (await admin.call('/keys', { method: 'POST', body: { name: 'one' } })).json()
    const reading = [
      { path: '/keys', method: 'GET' },
      { path: `/keys/${id}`, method: 'GET' },
    ] as const
    const writing = [
      { path: '/keys', method: 'POST', body: { name: 'two' } },
      { path: `/keys/${id}`, method: 'PATCH', body: { name: 'two' } },
      { path: `/keys/${id}`, method: 'DELETE' },
      { path: `/keys/${id}:rotate`, method: 'POST', body: {} },
    ] as const
    const others = 'own:read own:write sessions:read events:read service-accounts:write'
    for (const { path, ...call } of reading) {
      const refused = await admin.call(path, { ...call, token: admin.token(`${others} keys:write`) })
      assert.equal(refused.statusCode, 403)
      assert.match(
        String(refused.headers['www-authenticate']),
        /error="insufficient_scope".* scope="keys:read"$/,
      )
    }
    for (const { path, ...call } of writing) {
      const refused = await admin.call(path, { ...call, token: admin.token(`${others} keys:read`) })
      assert.equal(refused.statusCode, 403)
      assert.match(String(refused.headers['www-authenticate']), /scope="keys:write"$/)
      assert.match(refused.json().detail, /^insufficient scope/)
    }
    assert.equal((await admin.call(`/keys/${id}`)).json().name, 'one')
  })

  const wrong = [
    [{}, 'name', /name is missing/],
    [{ name: 7 }, 'name', /name must be string/],
    [{ name: 'x', scope: ['a'] }, 'scope', /unknown member "scope": did you mean "scopes"/],
    [{ name: 'x', colour: 1 }, 'colour', /unknown member "colour": known are name, principal/],
    [{ name: 'x', scopes: [] }, 'scopes', /at least one/],
    [{ name: 'x', scopes: [1] }, 'scopes', /scopes\.0 must be string/],
    [{ name: 'x', principal: 'robot@demo.iam.gate.example' }, 'principal', /e-mail of a service account/],
    [{ name: 'x', models: ['a b'] }, 'models', /names of models/],
    [{ name: 'x', addresses: ['nowhere'] }, 'addresses', /IP addresses/],
    [{ name: 'x', expires_at: 'tomorrow' }, 'expires_at', /RFC 3339|date-time/],
    [{ name: 'x', expires_at: '2026-02-30T00:00:00Z' }, 'expires_at', /RFC 3339|date-time/],
    [{ name: 'x', expires_at: '2999-01-01T00:00:00Z' }, 'expires_at', /before 2255/],
    [{ name: 'x', expires_at: '2020-01-01T00:00:00Z' }, 'expires_at', /in the future/],
    [[], undefined, /a JSON object/],
    ['{', undefined, /must be JSON/],
    ['{"name":"x","__proto__":{}}', undefined, /__proto__/],
  ] as const

  test('an order for a key that cannot be met says what is wrong and makes none', async () => {
    await using admin = await startAdminServer({ engine })
    for (const [body, field, words] of wrong) {
      const refused = await admin.call('/keys', { method: 'POST', body })
      assert.equal(refused.statusCode, 400, refused.body)
      assert.match(refused.json().detail, words)
      assert.equal(refused.json().field, field)
    }
    assert.deepEqual((await admin.call('/keys')).json().items, [])
  })

  test('a second key of one name says whom it is for, and is 409 otherwise', async () => {
    await using admin = await startAdminServer({ engine })
    const order = { method: 'POST', body: { name: 'app' } } as const
    assert.equal((await admin.call('/keys', order)).statusCode, 201)
    const refused = await admin.call('/keys', order)
    assert.equal(refused.statusCode, 409)
    assert.match(refused.json().detail, /a key for app already.*principal "app" in the API.*or another name/)
    const meant = await admin.call('/keys', { ...order, body: { name: 'app', principal: 'app' } })
    assert.equal(meant.statusCode, 201)
  })

  test('a key that is not there is 404, whatever its id looks like', async () => {
    await using admin = await startAdminServer({ engine })
    const ids = ['019a8e0c-5f2b-7c41-9a3e-0123456789ab', 'nobody', "1'--", '%00', 'a%2Fb', 'x'.repeat(250)]
    for (const id of ids)
      for (const [method, path, body] of [
        ['GET', `/keys/${id}`, undefined],
        ['PATCH', `/keys/${id}`, { name: 'x' }],
        ['DELETE', `/keys/${id}`, undefined],
        ['POST', `/keys/${id}:rotate`, {}],
      ] as const) {
        const answer = await admin.call(path, { method, body })
        assert.equal(answer.statusCode, 404, `${method} ${path}: ${answer.body}`)
      }
  })
})
