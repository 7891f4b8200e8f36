import assert from 'node:assert/strict'
import { createPrivateKey, sign } from 'node:crypto'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { startModelServer } from '../model-api/model-server.ts'
import { forEachEngine } from '../store/engines.ts'
import { startAdminServer } from './admin-server.ts'

const scope = 'https://www.googleapis.com/auth/cloud-platform'

interface Credentials {
  readonly client_email: string
  readonly private_key: string
  readonly private_key_id: string
}

/** As the official clients do it where no token endpoint is called. */
function selfSigned({ client_email, private_key, private_key_id }: Credentials): string {
  const time = Math.floor(Date.now() / 1000)
  const claims = { iss: client_email, sub: client_email, iat: time, exp: time + 600, scope }
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')
  const text = `${part({ alg: 'RS256', typ: 'JWT', kid: private_key_id })}.${part(claims)}`
  return `${text}.${sign('sha256', Buffer.from(text), createPrivateKey(private_key)).toString('base64url')}`
}

forEachEngine((engine) => {
  test('an account is made, found with its keys, rotated, narrowed, disabled and enabled again', async () => {
    await using admin = await startAdminServer({ engine })
    const made = await admin.call('/service-accounts', {
      method: 'POST',
      body: { name: 'robot', scopes: [scope] },
    })
    assert.equal(made.statusCode, 201)
    const { id, email, credentials } = made.json()
    assert.equal(email, 'robot@postern.iam.127.0.0.1')
    assert.equal(credentials.client_email, email)
    assert.match(credentials.private_key, /^-----BEGIN PRIVATE KEY-----/)
    assert.equal(made.headers.location, `${admin.publicUrl}/api/v1/service-accounts/${id}`)
    const rotated = await admin.call(`/service-accounts/${id}:rotate`, {
      method: 'POST',
      body: { overlap_seconds: 0 },
    })
    assert.equal(rotated.statusCode, 201)
    const found = (await admin.call(`/service-accounts/${id}`)).json()
    assert.deepEqual(
      found.keys.map(({ kid, state }: { kid: string; state: string }) => [kid, state]),
      [
        [rotated.json().credentials.private_key_id, 'active'],
        [credentials.private_key_id, 'revoked'],
      ],
    )
    const narrowed = await admin.call(`/service-accounts/${id}`, {
      method: 'PATCH',
      body: { scopes: ['a:b'] },
    })
    assert.deepEqual(narrowed.json().scopes, ['a:b'])
    for (const status of [204, 204])
      assert.equal((await admin.call(`/service-accounts/${id}`, { method: 'DELETE' })).statusCode, status)
    const disabled = (await admin.call('/service-accounts')).json().items[0]
    assert.equal(disabled.state, 'disabled')
    const late = await admin.call(`/service-accounts/${id}:rotate`, { method: 'POST' })
    assert.equal(late.statusCode, 409)
    const enabled = await admin.call(`/service-accounts/${id}`, {
      method: 'PATCH',
      body: { disabled: false },
    })
    assert.equal(enabled.json().state, 'active')
    assert.equal(enabled.json().disabled_at, null)
    const again = await admin.call('/service-accounts', {
      method: 'POST',
      body: { name: 'robot', scopes: ['a'] },
    })
    assert.equal(again.statusCode, 409)
    const seen = JSON.stringify([admin.lines, admin.decisions, found, disabled])
    assert.ok(!seen.includes('PRIVATE KEY'))
  })

  test('a credentials file that was given out here works at the model API until its key is revoked here', async () => {
    await using admin = await startAdminServer({ engine })
    await using models = await startModelServer({ store: admin.store })
    const made = await admin.call('/service-accounts', {
      method: 'POST',
      body: { name: 'robot', scopes: [scope] },
    })
    const { id, credentials } = made.json()
    const list = async (): Promise<number> =>
      (
        await models.server.inject({
          url: '/v1beta/models',
          headers: { host: '127.0.0.1:8080', authorization: `Bearer ${selfSigned(credentials)}` },
        })
      ).statusCode
    assert.equal(await list(), 200)
    const kid: string = credentials.private_key_id
    const other = (
      await admin.call('/service-accounts', { method: 'POST', body: { name: 'other', scopes: [scope] } })
    ).json()
    const foreign = await admin.call(`/service-accounts/${other.id}/keys/${kid}`, { method: 'DELETE' })
    assert.equal(foreign.statusCode, 404)
    const revoked = await admin.call(`/service-accounts/${id}/keys/${kid}`, { method: 'DELETE' })
    assert.equal(revoked.statusCode, 204)
    const before = performance.now()
    for (let begun = before; (await list()) === 200; begun = performance.now()) {
      assert.ok(begun - before < 1000, 'a call that began a second later is refused')
      await pause(20)
    }
  })

  test('nobody gives an account a right over this API that they do not hold, nor takes its key', async () => {
    await using admin = await startAdminServer({ engine })
    const token = admin.token('service-accounts:read service-accounts:write events:read', 'helpdesk')
    const post = { method: 'POST', token } as const
    const patch = { method: 'PATCH', token } as const
    const refused = await admin.call('/service-accounts', {
      ...post,
      body: { name: 'robot', scopes: ['notes:read', 'keys:write'] },
    })
    assert.equal(refused.statusCode, 403)
    assert.match(refused.json().detail, /^insufficient scope: giving an account keys:write,/)
    assert.deepEqual((await admin.call('/service-accounts')).json().items, [])
    const [robot, root] = await Promise.all([
      admin.call('/service-accounts', { ...post, body: { name: 'robot', scopes: ['a', 'events:read'] } }),
      admin.call('/service-accounts', { method: 'POST', body: { name: 'root', scopes: ['keys:write'] } }),
    ])
    const [mine, powerful] = [robot, root].map((made) => `/service-accounts/${made.json().id}`)
    for (const [path, call] of [
      [mine, { ...patch, body: { scopes: ['keys:write'] } }],
      [mine, { ...patch, body: { scopes: ['keys:*'] } }],
      [powerful, { ...patch, body: { disabled: false } }],
      [`${powerful}:rotate`, post],
    ] as const)
      assert.equal((await admin.call(String(path), call)).statusCode, 403)
    for (const [path, call] of [
      [mine, { ...patch, body: { scopes: ['events:read'] } }],
      [`${mine}:rotate`, post],
      [`${powerful}:rotate`, { ...post, token: admin.token('service-accounts:* keys:*') }],
      [powerful, { ...patch, body: { disabled: true } }],
      [powerful, { ...patch, body: { disabled: false, scopes: ['a'] } }],
    ] as const)
      assert.equal(Math.floor((await admin.call(String(path), call)).statusCode / 100), 2)
  })

  test('orders that cannot be met and accounts that are not there are refused by name', async () => {
    await using admin = await startAdminServer({ engine })
    const wrong = [
      [{ name: 'Robot', scopes: ['a'] }, 'name'],
      [{ name: 'robot' }, 'scopes'],
      [{ name: 'robot', scopes: [] }, 'scopes'],
      [{ name: 'robot', scopes: ['a b'] }, 'scopes'],
      [{ name: 'robot', scopes: ['a'], project: '-' }, 'project'],
      [{ name: 'robot', scopes: ['a'], key: 'mine' }, 'key'],
    ] as const
    for (const [body, field] of wrong) {
      const refused = await admin.call('/service-accounts', { method: 'POST', body })
      assert.equal(refused.statusCode, 400, refused.body)
      assert.equal(refused.json().field, field)
    }
    assert.deepEqual((await admin.call('/service-accounts')).json().items, [])
    for (const id of ['019a8e0c-5f2b-7c41-9a3e-0123456789ab', 'robot@postern.iam.127.0.0.1']) {
      const path = `/service-accounts/${id}`
      assert.equal((await admin.call(path)).statusCode, 404)
      assert.equal((await admin.call(path, { method: 'PATCH', body: { disabled: true } })).statusCode, 404)
      assert.equal(
        (await admin.call(path, { method: 'PATCH', body: {} })).statusCode,
        400 + (id.includes('@') ? 4 : 0),
      )
      assert.equal((await admin.call(path, { method: 'DELETE' })).statusCode, 404)
      assert.equal((await admin.call(`${path}:rotate`, { method: 'POST' })).statusCode, 404)
      assert.equal((await admin.call(`${path}/keys/abc`, { method: 'DELETE' })).statusCode, 404)
      assert.equal(
        (await admin.call(`${path}/keys/${'ab'.repeat(20)}`, { method: 'DELETE' })).statusCode,
        404,
      )
    }
  })
})
