import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createRemoteJWKSet, jwtVerify } from 'jose'
import { createUsers } from '../../src/authority/users.ts'
import { admin, notes, redirectUri, startAlone } from './core-authority.ts'
import {
  type Answer,
  authorizationQuery,
  authorize,
  authorizeWith,
  post,
  redeem,
  refresh,
} from './core-flow.ts'

const core = await startAlone()
after(() => core[Symbol.asyncDispose]())
const ada = await createUsers(core.context.store, core.context.now).findByLogin('ada')
const keys = createRemoteJWKSet(new URL('/jwks', core.url))

async function discovery(path: string): Promise<unknown> {
  const response = await fetch(new URL(path, core.url))
  assert.equal(response.status, 200)
  return response.json()
}

test('discovery says the same at both places, and what a client needs', async () => {
  const document = await discovery('/.well-known/oauth-authorization-server')
  assert.deepEqual(document, await discovery('/.well-known/openid-configuration'))
  const expected = {
    issuer: core.issuer,
    authorization_endpoint: `${core.issuer}/authorize`,
    token_endpoint: `${core.issuer}/token`,
    registration_endpoint: `${core.issuer}/register`,
    revocation_endpoint: `${core.issuer}/revoke`,
    introspection_endpoint: `${core.issuer}/introspect`,
    userinfo_endpoint: `${core.issuer}/userinfo`,
    jwks_uri: `${core.issuer}/jwks`,
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: ['none', 'client_secret_basic', 'client_secret_post'],
    authorization_response_iss_parameter_supported: true,
    client_id_metadata_document_supported: true,
  }
  assert.partialDeepStrictEqual(document, expected)
  assert.partialDeepStrictEqual(document, { scopes_supported: ['openid', 'notes:read', 'sessions:read'] })
  assert.partialDeepStrictEqual(document, { dpop_signing_alg_values_supported: ['ES256'] })
})

test('a code becomes a signed token for the resource, and the answer names the issuer', async () => {
  const authorization = await authorize(core)
  assert.equal(authorization.back.searchParams.get('iss'), core.issuer)
  assert.equal(authorization.back.searchParams.get('state'), 'as it was')
  const { status, body } = await redeem(core, authorization)
  assert.equal(status, 200)
  assert.equal(body.expires_in, 600)
  const { payload, protectedHeader } = await jwtVerify(String(body.access_token), keys, {
    issuer: core.issuer,
    audience: notes,
    typ: 'at+jwt',
  })
  assert.equal(protectedHeader.alg, 'ES256')
  assert.deepEqual(
    [payload.sub, payload.preferred_username, payload.client_id, payload.scope, payload.aud],
    [ada?.id, 'ada', 'desk', 'notes:read', notes],
  )
  assert.equal(typeof payload.auth_time, 'number')
  assert.equal(typeof payload.jti, 'string')
})

test('without a resource parameter the scopes tell the resource', async () => {
  const { body } = await redeem(core, await authorize(core, { resource: '', scope: 'sessions:read' }))
  const { payload } = await jwtVerify(String(body.access_token), keys)
  assert.equal(payload.aud, admin)
})

test('scopes that the resource does not know are dropped', async () => {
  const { body } = await redeem(core, await authorize(core, { scope: 'notes:read made:up keys:write' }))
  assert.equal(body.scope, 'notes:read')
})

test('a sign-in without a resource gives an ID token and a token for userinfo alone', async () => {
  const { body } = await redeem(core, await authorize(core, { resource: '', scope: 'openid' }))
  const { payload } = await jwtVerify(String(body.id_token), keys, { audience: 'desk' })
  assert.equal(payload.sub, ada?.id)
  assert.equal(String(body.access_token).includes('.'), false)
  const headers = { authorization: `Bearer ${String(body.access_token)}` }
  const userinfo = await fetch(new URL('/userinfo', core.url), { headers })
  assert.deepEqual(await userinfo.json(), { sub: ada?.id })
})

const refusedRequests = {
  'a request without PKCE': [{ code_challenge: '', code_challenge_method: '' }, 'invalid_request'],
  'plain PKCE': [{ code_challenge_method: 'plain' }, 'invalid_request'],
  'a resource that is not ours': [{ resource: 'https://other.example/mcp' }, 'invalid_target'],
  'no resource and no scope that tells it': [{ resource: '', scope: 'made:up' }, 'invalid_target'],
  'another response type': [{ response_type: 'none' }, 'unsupported_response_type'],
  'another response mode': [{ response_mode: 'fragment' }, 'invalid_request'],
} as const

for (const [what, [changes, error]] of Object.entries(refusedRequests)) {
  test(`the client is told of ${what}, and gets no code`, async () => {
    const { back, code } = await authorize(core, changes)
    assert.equal(code, '')
    const answer = new URLSearchParams(back.hash === '' ? back.search : back.hash.slice(1))
    assert.equal(answer.get('error'), error)
    assert.equal(answer.get('iss'), core.issuer)
  })
}

for (const name of ['client_id', 'redirect_uri', 'scope', 'state', 'code_challenge', 'prompt']) {
  test(`a request that gives ${name} twice is refused, and the second one decides nothing`, async () => {
    const query = authorizationQuery('v'.repeat(43), { prompt: 'consent' })
    query.append(name, 'https://evil.example/callback')
    const response = await fetch(`${core.url}/authorize?${query.toString()}`, { redirect: 'manual' })
    const location = response.headers.get('location') ?? ''
    const isShown = name === 'client_id' && response.status === 400
    assert.ok(isShown || location.startsWith(`${redirectUri}?error=invalid_request`), location)
  })
}

test('a refresh gives no other resource and no scope beyond those of the sign-in', async () => {
  for (const [changes, error] of [
    [{ scope: 'notes:write' }, 'invalid_scope'],
    [{ scope: 'notes:read notes:write' }, 'invalid_scope'],
    [{ resource: admin }, 'invalid_target'],
    [{ resource: admin, scope: 'notes:read' }, 'invalid_target'],
    [{ resource: 'https://evil.example/mcp' }, 'invalid_target'],
  ] as const) {
    await authorize(core, { scope: 'notes:write' })
    const { body: given } = await redeem(core, await authorize(core))
    const refresh_token = String(given.refresh_token)
    const asked = { grant_type: 'refresh_token', client_id: 'desk', refresh_token, ...changes }
    const { status, body } = await post(core, '/token', asked)
    assert.deepEqual([status, body.error], [400, error])
  }
})

test('a code for two resources gives a token for one of them, with the scopes of that one alone', async () => {
  const verifier = 'v'.repeat(43)
  const query = authorizationQuery(verifier, { scope: 'notes:read keys:read', resource: '' })
  for (const resource of [notes, admin]) query.append('resource', resource)
  const { code } = await authorizeWith(core, query)
  const { body } = await redeem(core, { code, verifier }, { resource: admin })
  const { payload } = await jwtVerify(String(body.access_token), keys)
  assert.deepEqual([payload.aud, payload.scope], [admin, 'keys:read'])
})

test('a resource that is missing or wrong spends neither code nor refresh token: named right, it goes on', async () => {
  const verifier = 'v'.repeat(43)
  const query = authorizationQuery(verifier, { scope: 'notes:read keys:read', resource: '' })
  for (const resource of [notes, admin]) query.append('resource', resource)
  const { code } = await authorizeWith(core, query)
  const missing = await redeem(core, { code, verifier })
  const wrong = await redeem(core, { code, verifier }, { resource: `${notes}/` })
  const right = await redeem(core, { code, verifier }, { resource: notes })
  const refused = [
    [400, 'invalid_target', `name one resource: ${notes}, ${admin}`],
    [400, 'invalid_target', `resource must be what this sign-in is for: ${notes} or ${admin}`],
  ]
  const told = ({ status, body }: Answer) => [status, body.error, body.error_description]
  assert.deepEqual([missing, wrong].map(told), refused)
  const refreshing = {
    grant_type: 'refresh_token',
    client_id: 'desk',
    refresh_token: String(right.body.refresh_token),
  }
  const ask = (changes: object) => post(core, '/token', { ...refreshing, ...changes })
  assert.deepEqual([await ask({}), await ask({ resource: `${notes}/` })].map(told), refused)
  const { body } = await ask({ resource: admin })
  assert.equal((await jwtVerify(String(body.access_token), keys)).payload.aud, admin)
  assert.equal((await redeem(core, { code, verifier })).body.error, 'invalid_grant')
})

test('a sign-in without a resource gives none afterwards, and asking for one does not end it', async () => {
  const authorization = await authorize(core, { resource: '', scope: 'openid' })
  const { body } = await redeem(core, authorization, { resource: notes })
  assert.equal(body.error_description, 'leave resource out: this sign-in is for none')
  assert.equal((await redeem(core, authorization)).status, 200)
})

for (const redirect of [
  'http://127.0.0.1/callback/',
  'http://127.0.0.1/other',
  'http://localhost/callback',
  'https://127.0.0.1/callback',
  'http://127.0.0.1.example.org/callback',
  'http://127.0.0.1@evil.example/callback',
  'http://127.0.0.1:80@evil.example/callback',
  'http://evil@127.0.0.1/callback',
  'http://127.0.0.1:80\\@evil.example/callback',
  'http://127.1:80/callback',
  'http://127.0.0.1.:80/callback',
  'http://[::1]:80/callback',
  'http://127.0.0.1:80/%63allback',
  'http://127.0.0.1:80/x/../callback',
  'http://127.0.0.1:80/callback?next=evil',
  'http://127.0.0.1:80/callback#',
  'https://evil.example/callback',
]) {
  test(`nobody is sent to ${redirect}, which is not the registered redirect URI`, async () => {
    const { back } = await authorize(core, { redirect_uri: redirect })
    assert.equal(back.pathname, '/shown/400')
    assert.equal(back.origin, core.url)
  })
}

test('the port of a loopback redirect URI is free', async () => {
  const redirect_uri = 'http://127.0.0.1:51234/callback'
  const authorization = await authorize(core, { redirect_uri })
  assert.equal(authorization.back.origin, 'http://127.0.0.1:51234')
  assert.equal((await redeem(core, authorization, { redirect_uri })).status, 200)
})

test('another verifier, redirect URI or resource, or another client, gets nothing for the code', async () => {
  for (const [changes, error] of [
    [{ code_verifier: 'x'.repeat(43) }, 'invalid_grant'],
    [{ redirect_uri: 'http://127.0.0.1:1/callback' }, 'invalid_grant'],
    [{ resource: admin }, 'invalid_target'],
    [{ client_id: 'site', as: 'site:the secret of the site' }, 'invalid_grant'],
  ] as const) {
    const { status, body } = await redeem(core, await authorize(core), changes)
    assert.deepEqual([status, body.error], [400, error])
  }
})

test('a code that comes a second time ends the tokens of the first', async () => {
  const authorization = await authorize(core)
  const first = await redeem(core, authorization)
  const second = await redeem(core, authorization)
  assert.deepEqual([second.status, second.body.error], [400, 'invalid_grant'])
  assert.equal((await refresh(core, first.body.refresh_token)).body.error, 'invalid_grant')
})

test('a client with a secret must show it', async () => {
  const changes = { client_id: 'site', redirect_uri: 'https://site.example/back' }
  for (const as of [undefined, 'site:a wrong secret', 'site:the secret of the site']) {
    const credentials = as === undefined ? changes : { ...changes, as }
    const { status } = await redeem(core, await authorize(core, changes), credentials)
    assert.equal(status, as?.endsWith('site') ? 200 : 401, String(as))
  }
})

test('a program gets a token in its own name, without scopes that only administrators grant', async () => {
  const as = 'robot:the secret of the robot'
  const ask = { grant_type: 'client_credentials', as }
  const mine = await post(core, '/token', { ...ask, scope: 'notes:write' })
  const { payload } = await jwtVerify(String(mine.body.access_token), keys, { audience: notes })
  assert.deepEqual([payload.sub, payload.client_id, payload.scope], ['robot', 'robot', 'notes:write'])
  const theirs = await post(core, '/token', { ...ask, resource: admin, scope: 'keys:write' })
  assert.equal((await jwtVerify(String(theirs.body.access_token), keys)).payload.scope, undefined)
})
