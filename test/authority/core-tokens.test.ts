import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createRemoteJWKSet, jwtVerify } from 'jose'
import { mintForServiceAccount } from '../../src/authority/access-token.ts'
import type { Resource } from '../../src/authority/resources.ts'
import { createUsers } from '../../src/authority/users.ts'
import { forEachEngine } from '../store/engines.ts'
import { admin, type Core, notes, startAlone } from './core-authority.ts'
import { type Answer, authorize, type Place, post, redeem, refresh } from './core-flow.ts'

const as = 'gate:the secret of the gateway'

async function signIn(place: Place, changes: Readonly<Record<string, string>> = {}): Promise<Answer['body']> {
  const { status, body } = await redeem(place, await authorize(place, changes))
  assert.equal(status, 200)
  return body
}

forEachEngine((engine) => {
  let core: Core
  before(async () => {
    core = await startAlone({ engine, authority: { opaqueResources: ['mcp'] } })
  })
  after(() => core[Symbol.asyncDispose]())

  test('each refresh ends the token it was made with and gives a new one', async () => {
    const first = await signIn(core)
    const second = await refresh(core, first.refresh_token)
    assert.equal(second.status, 200)
    assert.notEqual(second.body.refresh_token, first.refresh_token)
    const third = await refresh(core, second.body.refresh_token)
    assert.deepEqual([third.status, third.body.scope], [200, 'notes:read'])
  })

  test('a refresh token that comes back ends the whole family', async () => {
    const first = await signIn(core)
    const second = await refresh(core, first.refresh_token)
    assert.equal((await refresh(core, first.refresh_token)).body.error, 'invalid_grant')
    assert.equal((await refresh(core, second.body.refresh_token)).body.error, 'invalid_grant')
  })

  test('of many refreshes at the same time with one token, one succeeds', async () => {
    const { refresh_token } = await signIn(core)
    const answers = await Promise.all(Array.from({ length: 8 }, () => refresh(core, refresh_token)))
    assert.equal(answers.filter(({ status }) => status === 200).length, 1)
    assert.ok(answers.every(({ status, body }) => status === 200 || body.error === 'invalid_grant'))
  })

  test('of many redemptions at the same time with one code, one succeeds', async () => {
    const authorization = await authorize(core)
    const answers = await Promise.all(Array.from({ length: 8 }, () => redeem(core, authorization)))
    assert.equal(answers.filter(({ status }) => status === 200).length, 1)
  })

  test('no token or code is in the store as it is', async () => {
    const tokens = await signIn(core)
    const { code } = await authorize(core)
    const rows = JSON.stringify(
      await core.context.store.db.selectFrom('authority_records').selectAll().execute(),
    )
    for (const text of [tokens.access_token, tokens.refresh_token, code]) {
      assert.equal(rows.includes(String(text)), false)
    }
  })
})

const core = await startAlone({ authority: { opaqueResources: ['mcp'] } })
after(() => core[Symbol.asyncDispose]())

function resourceAt(identifier: string): Resource {
  const resource = core.context.resources.byIdentifier(identifier)
  assert.ok(resource !== undefined)
  return resource
}

test('a client that may introspect learns about an opaque token', async () => {
  const { access_token } = await signIn(core)
  const { body } = await post(core, '/introspect', { token: String(access_token), as })
  assert.partialDeepStrictEqual(body, {
    active: true,
    aud: notes,
    client_id: 'desk',
    iss: core.issuer,
    preferred_username: 'ada',
    scope: 'notes:read',
  })
})

test('others learn nothing by introspection, and nobody of a refresh token', async () => {
  const { access_token, refresh_token } = await signIn(core)
  const asSite = { as: 'site:the secret of the site' }
  const asked = await post(core, '/introspect', { token: String(access_token), ...asSite })
  assert.deepEqual(asked.body, { active: false })
  const stranger = await post(core, '/introspect', { token: String(access_token) })
  assert.equal(stranger.status, 400)
  const refreshing = await post(core, '/introspect', { token: String(refresh_token), as })
  assert.deepEqual(refreshing.body, { active: false })
})

test('a revoked refresh token ends, and the opaque token with it', async () => {
  const { access_token, refresh_token } = await signIn(core)
  const { status } = await post(core, '/revoke', { token: String(refresh_token), client_id: 'desk' })
  assert.equal(status, 200)
  assert.equal((await refresh(core, refresh_token)).body.error, 'invalid_grant')
  const { body } = await post(core, '/introspect', { token: String(access_token), as })
  assert.deepEqual(body, { active: false })
})

test('a signed token is refused by introspection and revocation, which do not know it', async () => {
  const { access_token } = await signIn(core, { resource: admin, scope: 'keys:read' })
  const token = String(access_token)
  const answers = [
    await post(core, '/introspect', { token, as }),
    await post(core, '/revoke', { token, client_id: 'desk' }),
  ]
  assert.deepEqual(
    answers.map(({ status, body }) => [status, body.error]),
    answers.map(() => [400, 'unsupported_token_type']),
  )
})

test('a client cannot revoke the token of another', async () => {
  const { refresh_token } = await signIn(core)
  await post(core, '/revoke', { token: String(refresh_token), as: 'site:the secret of the site' })
  assert.equal((await refresh(core, refresh_token)).status, 200)
})

test('a refresh keeps a grant alive that would have ended', async () => {
  const { refresh_token } = await signIn(core)
  const { db } = core.context.store
  const soon = core.context.now() + 60_000_000
  await db.updateTable('authority_records').set({ expires_at: soon }).where('kind', '=', 'Grant').execute()
  assert.equal((await refresh(core, refresh_token)).status, 200)
  const grants = await db
    .selectFrom('authority_records')
    .select('expires_at')
    .where('kind', '=', 'Grant')
    .orderBy('expires_at', 'desc')
    .execute()
  assert.ok(Number(grants[0]?.expires_at) > soon + 29 * 86_400 * 1_000_000)
})

test('who is no administrator any more gets no token with their scopes, also by refresh', async () => {
  const { refresh_token, scope } = await signIn(core, { resource: admin, scope: 'keys:read' })
  assert.equal(scope, 'keys:read')
  const users = createUsers(core.context.store, core.context.now)
  await users.setAdmin('ada', false)
  const { status, body } = await refresh(core, refresh_token)
  await users.setAdmin('ada', true)
  assert.deepEqual([status, body.scope], [200, ''])
})

test('a disabled user gets no further token', async () => {
  const { refresh_token } = await signIn(core)
  const users = createUsers(core.context.store, core.context.now)
  await users.disable('ada')
  const { body } = await refresh(core, refresh_token)
  await users.enable('ada')
  assert.equal(body.error, 'invalid_grant')
})

test('a token for a service account is signed where the resource takes signed ones', async () => {
  const order = { email: 'robot@demo.iam.example', scopes: ['keys:read'], resource: resourceAt(admin) }
  const { token, expiresIn } = await mintForServiceAccount(core.context, order)
  const keys = createRemoteJWKSet(new URL('/jwks', core.url))
  const { payload } = await jwtVerify(token, keys, { issuer: core.issuer, audience: admin, typ: 'at+jwt' })
  assert.deepEqual([payload.sub, payload.client_id, payload.scope], [order.email, order.email, 'keys:read'])
  assert.equal(Number(payload.exp) - Number(payload.iat), expiresIn)
})

test('a token for a service account is opaque elsewhere, and introspection knows it', async () => {
  const order = { email: 'robot@demo.iam.example', scopes: ['notes:read'], resource: resourceAt(notes) }
  const { token } = await mintForServiceAccount(core.context, order)
  assert.equal(token.includes('.'), false)
  const { body } = await post(core, '/introspect', { token, as })
  assert.partialDeepStrictEqual(body, {
    active: true,
    sub: order.email,
    client_id: order.email,
    aud: notes,
    scope: 'notes:read',
    token_type: 'Bearer',
  })
})

test('the e-mail of a service account is no client', async () => {
  const email = 'robot@demo.iam.example'
  assert.equal((await authorize(core, { client_id: email })).back.pathname, '/shown/400')
  const { body } = await post(core, '/token', { grant_type: 'client_credentials', client_id: email })
  assert.equal(body.error, 'invalid_client')
})
