import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { redirectUri, startAlone } from './core-authority.ts'
import { authorizationQuery, authorize, redeem, refresh, register } from './core-flow.ts'

const core = await startAlone()
after(() => core[Symbol.asyncDispose]())

const loopback = { client_name: 'An app', redirect_uris: [redirectUri], token_endpoint_auth_method: 'none' }

async function signInWith(clientId: unknown, redirect_uri: string): Promise<number> {
  const client = { client_id: String(clientId), redirect_uri }
  return (await redeem(core, await authorize(core, client), client)).status
}

/** What they send, word for word but for the ports. */
const knownClients = {
  'the official SDK': {
    redirect_uris: ['http://localhost:8090/callback'],
    client_name: 'Simple OAuth MCP Client',
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'client_secret_post',
  },
  'the Inspector': {
    redirect_uris: ['http://localhost:6274/oauth/callback'],
    token_endpoint_auth_method: 'none',
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    client_name: 'MCP Inspector',
    client_uri: 'https://github.com/modelcontextprotocol/inspector',
    scope: 'notes:read',
  },
  'mcp-remote': {
    redirect_uris: ['http://localhost:3334/oauth/callback'],
    token_endpoint_auth_method: 'none',
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    client_name: 'MCP CLI Proxy',
    client_uri: 'https://github.com/modelcontextprotocol/mcp-cli',
    software_id: '2e6dc280-f3c3-4e01-99a7-8181dbd1d23d',
    software_version: '0.1.0',
    scope: 'openid email profile',
  },
  'an editor with several ways back': {
    redirect_uris: ['https://editor.example/redirect', 'http://127.0.0.1/', 'http://127.0.0.1:33418/'],
    token_endpoint_auth_method: 'none',
    grant_types: ['authorization_code', 'refresh_token', 'urn:ietf:params:oauth:grant-type:device_code'],
    response_types: ['code'],
  },
  'an app with a scheme of its own': {
    redirect_uris: ['cursor://anysphere.cursor-mcp/oauth/callback'],
    token_endpoint_auth_method: 'none',
  },
}

for (const [name, metadata] of Object.entries(knownClients)) {
  test(`${name} can register itself`, async () => {
    const { status, body } = await register(core, metadata)
    assert.equal(status, 201, JSON.stringify(body))
    assert.equal(body.application_type, 'native')
    assert.equal(
      typeof body.client_secret,
      metadata.token_endpoint_auth_method === 'none' ? 'undefined' : 'string',
    )
  })
}

test('a client that registered itself gets tokens, from any port of its machine', async () => {
  const { body } = await register(core, { ...loopback, redirect_uris: ['http://localhost:1234/back'] })
  assert.equal(await signInWith(body.client_id, 'http://localhost:45678/back'), 200)
})

test('a client that registered itself may ask for more scopes later', async () => {
  const { body } = await register(core, { ...loopback, scope: 'notes:read' })
  const client = { client_id: String(body.client_id) }
  const tokens = await redeem(
    core,
    await authorize(core, { ...client, scope: 'notes:read notes:write' }),
    client,
  )
  assert.equal(tokens.body.scope, 'notes:read notes:write')
})

const hostile = {
  'a script': ['javascript:alert(1)'],
  'a document in the URI': ['data:text/html,hello'],
  'a file': ['file:///etc/passwd'],
  'plain http to another machine': ['http://site.example/back'],
  'plain http to something like loopback': ['http://127.0.0.1.example/back'],
  'a user name': ['https://ada@site.example/back'],
  'a fragment': ['https://site.example/back#here'],
  'no URI at all': ['back'],
  'a host that only begins like loopback': ['http://localhost.example/back'],
  'a dot behind loopback': ['http://localhost./back'],
  'https without slashes': ['https:site.example/back'],
  'https with backslashes': ['https:\\\\site.example/back'],
  'a backslash before another host': ['http://127.0.0.1\\@site.example/back'],
  'a line break': ['app.example:/back\r\nSet-Cookie: a=b'],
  'a space': ['https://site.example/a b'],
  'a scheme of the system': ['ms-msdt:/id'],
  'a private scheme beside a script': ['app.example:/back', 'JavaScript:alert(1)'],
  'something that is no text': [{ href: redirectUri }],
  'too many': Array.from({ length: 11 }, (_, index) => `https://site.example/${index}`),
  'a long one': [`https://site.example/${'a'.repeat(3000)}`],
  none: [],
}

for (const [what, redirect_uris] of Object.entries(hostile)) {
  test(`a registration is refused with redirect URIs: ${what}`, async () => {
    const { status, body } = await register(core, { ...loopback, redirect_uris })
    assert.deepEqual([status, body.error], [400, 'invalid_redirect_uri'])
  })
}

test('a client that registered itself cannot act for itself, and points us at nothing', async () => {
  const { status, body } = await register(core, {
    ...loopback,
    token_endpoint_auth_method: 'client_secret_basic',
    grant_types: ['authorization_code', 'client_credentials'],
    response_types: ['code', 'id_token'],
    jwks_uri: 'https://169.254.169.254/keys',
    sector_identifier_uri: 'https://169.254.169.254/sector',
    logo_uri: 'javascript:alert(1)',
  })
  assert.equal(status, 201)
  assert.deepEqual(
    [body.grant_types, body.response_types, body.jwks_uri, body.sector_identifier_uri, body.logo_uri],
    [['authorization_code'], ['code'], undefined, undefined, undefined],
  )
})

const trap = { toString: '', valueOf: '' }

test('what a registration calls toString is never called', async () => {
  const { status, body } = await register(core, { ...loopback, client_uri: trap, logo_uri: [trap] })
  assert.deepEqual([status, body.client_uri, body.logo_uri], [201, undefined, undefined])
  for (const name of ['id_token_signed_response_alg', 'request_object_signing_alg']) {
    const refused = await register(core, { ...loopback, [name]: trap })
    assert.deepEqual([refused.status, refused.body.error], [400, 'invalid_client_metadata'])
  }
})

test('a name that is too long and a body that is too large are refused', async () => {
  const long = await register(core, { ...loopback, client_name: 'a'.repeat(201) })
  assert.deepEqual([long.status, long.body.error], [400, 'invalid_client_metadata'])
  assert.equal((await register(core, { ...loopback, contacts: ['a'.repeat(70_000)] })).status, 413)
})

test('a client that never got a token is forgotten after 30 days, one that did is not', async () => {
  let offset = 0
  await using other = await startAlone({ now: () => Date.now() * 1000 + offset })
  const [idle, busy] = [await register(other, loopback), await register(other, loopback)]
  const client = { client_id: String(busy.body.client_id) }
  const tokens = await redeem(other, await authorize(other, client), client)
  assert.equal(tokens.status, 200)
  const late = { client_id: String(idle.body.client_id) }
  offset = 29 * 86_400 * 1_000_000
  assert.equal((await authorize(other, late)).back.searchParams.has('code'), true)
  offset = 31 * 86_400 * 1_000_000
  assert.equal((await authorize(other, late)).back.pathname, '/shown/400')
  assert.notEqual((await authorize(other, client)).back.pathname, '/shown/400')
})

test('the page for an app that nobody knows says what to do in the app', async () => {
  const asked = authorizationQuery('v'.repeat(43), { client_id: 'a-forgotten-one' })
  const headers = { accept: 'text/html' }
  const response = await fetch(`${core.url}/authorize?${asked.toString()}`, { headers })
  assert.equal(response.status, 400)
  assert.match(
    await response.text(),
    /does not know the app, or no longer\. Remove the connection in the app/,
  )
})

test('an address registers 200 clients an hour, however it spells the path, and others go on', async () => {
  await using other = await startAlone({ authority: { trustedProxies: ['127.0.0.1'] } })
  const from = async (address: string, path = '/register'): Promise<Response> =>
    fetch(new URL(path, other.url), {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-forwarded-for': address },
      body: JSON.stringify(loopback),
    })
  assert.equal((await from('192.0.2.1')).status, 201)
  await other.context.store.db.updateTable('authority_throttles').set({ failures: 199 }).execute()
  const paths = ['/register', '/register', '/REGISTER', '/register/']
  const answers: Response[] = []
  for (const path of paths) answers.push(await from('192.0.2.1', path))
  assert.deepEqual(
    answers.map(({ status }) => status),
    [201, 429, 429, 429],
  )
  assert.match(answers[1]?.headers.get('retry-after') ?? '', /^\d{1,4}$/)
  assert.equal((await from('192.0.2.2')).status, 201)
})

test('ten thousand clients wait for their first use: one more waits for one that had a day', async () => {
  await using other = await startAlone()
  const { db } = other.context.store
  const insert = async (count: number, name: 'used' | 'unused', days: number): Promise<void> => {
    for (let from = 0; from < count; from += 1000) {
      const row = { kind: 'Client', payload: '{}', uid: name === 'unused' ? name : null }
      const expires_at = other.context.now() + days * 86_400 * 1_000_000
      const ids = Array.from(
        { length: Math.min(1000, count - from) },
        (_, index) => `${name} ${from + index}`,
      )
      await db
        .insertInto('authority_records')
        .values(ids.map((id) => ({ ...row, id, expires_at })))
        .execute()
    }
  }
  await insert(1000, 'used', 20)
  await insert(9999, 'unused', 29.5)
  const statuses = [await register(other, loopback), await register(other, loopback)]
  assert.deepEqual(
    statuses.map(({ status }) => status),
    [201, 429],
  )
  for (const [id, days] of [
    ['unused 3', 28],
    ['unused 5', 27],
  ] as const) {
    const expires_at = other.context.now() + days * 86_400 * 1_000_000
    await db.updateTable('authority_records').set({ expires_at }).where('id', '=', id).execute()
  }
  assert.equal((await register(other, loopback)).status, 201)
  const left = await db.selectFrom('authority_records').select('id').where('kind', '=', 'Client').execute()
  assert.equal(left.length, 11_000)
  assert.equal(left.filter(({ id }) => id === 'unused 5').length, 0)
})

test('the secret of a client that registered itself is not in the store as it is, and works', async () => {
  const { body } = await register(core, {
    ...loopback,
    token_endpoint_auth_method: 'client_secret_post',
    grant_types: ['authorization_code', 'refresh_token'],
  })
  const rows = await core.context.store.db.selectFrom('authority_records').selectAll().execute()
  assert.equal(JSON.stringify(rows).includes(String(body.client_secret)), false)
  const client = { client_id: String(body.client_id) }
  const authorization = await authorize(core, client)
  const secrets = ['another secret', String(body.client_secret)]
  const answers = secrets.map((client_secret) => redeem(core, authorization, { ...client, client_secret }))
  assert.deepEqual(
    (await Promise.all(answers)).map(({ status }) => status),
    [401, 200],
  )
})

test('with registration switched off there is no such endpoint, and discovery names none', async () => {
  await using closed = await startAlone({ authority: { registration: false } })
  const response = await fetch(new URL('/register', closed.url), { method: 'POST', body: '{}' })
  assert.equal(response.status, 404)
  const discovery = await fetch(new URL('/.well-known/oauth-authorization-server', closed.url))
  assert.equal((await discovery.text()).includes('registration_endpoint'), false)
})

test('without the grant for it a client gets no refresh token', async () => {
  const { body } = await register(core, { ...loopback, grant_types: ['authorization_code'] })
  const client = { client_id: String(body.client_id) }
  const tokens = await redeem(core, await authorize(core, client), client)
  assert.deepEqual([tokens.status, tokens.body.refresh_token], [200, undefined])
  assert.equal((await refresh(core, 'any', client.client_id)).body.error, 'invalid_request')
})
