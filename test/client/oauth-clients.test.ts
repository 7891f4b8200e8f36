import assert from 'node:assert/strict'
import { test } from 'node:test'
import { memoryStore } from '../../src/client/oauth/memory-store.ts'
import type { Redirect } from '../../src/client/oauth/redirect.ts'
import { isClientError } from './client-error-check.ts'
import { oauthFor } from './scripted-oauth.ts'
import { type ScriptedServers, scriptedPerson, startScriptedServers } from './scripted-servers.ts'

const document = 'https://client.example/client.json'

for (const [what, options, isSupported, expected] of [
  ['a configured client goes first', { clientId: 'mine', clientMetadataUrl: document }, true, 'mine'],
  [
    'a document goes before a registration, where it is read',
    { clientMetadataUrl: document },
    true,
    document,
  ],
  [
    'a registration is made where no document is read',
    { clientMetadataUrl: document },
    false,
    'registered-client',
  ],
  ['a registration is made where there is nothing else', {}, true, 'registered-client'],
] as const)
  test(what, async () => {
    await using servers = await startScriptedServers()
    servers.issuerDocument.client_id_metadata_document_supported = isSupported
    const person = scriptedPerson()
    await oauthFor(servers, { redirect: person, ...options }).signIn()
    assert.equal(person.pages[0]?.searchParams.get('client_id'), expected)
    assert.equal(servers.at('/register').length, expected === 'registered-client' ? 1 : 0)
  })

test('a registration says who asks, where the answer goes, and that it comes from a program', async () => {
  await using servers = await startScriptedServers()
  await oauthFor(servers, { clientName: 'The desk' }).signIn()
  assert.deepEqual(JSON.parse(servers.at('/register')[0]?.body ?? ''), {
    client_name: 'The desk',
    redirect_uris: ['http://127.0.0.1:1/callback'],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
    application_type: 'native',
  })
})

test('a registration is kept for the issuer, and used again', async () => {
  await using servers = await startScriptedServers()
  const store = memoryStore()
  await oauthFor(servers, { store }).signIn()
  await oauthFor(servers, { store }).signIn()
  assert.equal(servers.at('/register').length, 1)
})

test('another address needs another registration, and what the first one got is still refreshed', async () => {
  await using servers = await startScriptedServers()
  const ids = ['first', 'second', 'third']
  servers.script.set('/register', () => ({ status: 201, body: { client_id: ids.shift() } }))
  const store = memoryStore()
  const other = `${new URL(servers.resource).origin}/api`
  servers.script.set('/.well-known/oauth-protected-resource/api', () => ({
    body: { ...servers.resourceDocument, resource: other },
  }))
  await oauthFor(servers, { store }).signIn()
  await oauthFor(servers, {
    store,
    resource: other,
    redirect: personAt('http://127.0.0.1:2/callback'),
  }).signIn()
  const now = (): number => Date.now() + 3_600_000
  await oauthFor(servers, { store, now, mayAsk: false }).token()
  await oauthFor(servers, { store, now, mayAsk: false, resource: other }).token()
  const refreshes = servers.at('/token').slice(2)
  assert.deepEqual(
    refreshes.map(({ body }) => new URLSearchParams(body).get('client_id')),
    ['first', 'second'],
  )

  // The grant of the second is replaced: then nothing needs it any more.
  await oauthFor(servers, { store, resource: other }).signIn()
  await oauthFor(servers, {
    store,
    resource: other,
    redirect: personAt('http://127.0.0.1:3/callback'),
  }).signIn()
  assert.deepEqual(
    (await store.clients(servers.issuer)).map(({ clientId }) => clientId),
    ['first', 'third'],
  )
})

test('a server that has forgotten the client is told again who asks, at the next sign-in', async () => {
  await using servers = await startScriptedServers()
  const store = memoryStore()
  await oauthFor(servers, { store }).signIn()
  servers.script.set('/token', () => ({ status: 401, body: { error: 'invalid_client' } }))
  await assert.rejects(oauthFor(servers, { store }).signIn(), isClientError('token_refused'))
  servers.script.delete('/token')
  await oauthFor(servers, { store }).signIn()
  assert.equal(servers.at('/register').length, 2)
})

test('a registration whose secret has expired is not used', async () => {
  await using servers = await startScriptedServers()
  const secret = { client_secret: 'secret', client_secret_expires_at: Math.floor(Date.now() / 1000) + 60 }
  registerWith(servers, secret)
  const store = memoryStore()
  const clock = { now: Date.now() }
  const now = (): number => clock.now
  await oauthFor(servers, { store, now }).signIn()
  clock.now += 61_000
  await oauthFor(servers, { store, now }).signIn()
  assert.equal(servers.at('/register').length, 2)
})

for (const [what, methods, granted, sent] of [
  ['in the header', ['client_secret_basic'], undefined, 'header'],
  ['in the body', ['client_secret_post'], undefined, 'body'],
  ['in the header, where the server names no way', undefined, 'client_secret_basic', 'header'],
  ['as the registration says', ['client_secret_basic', 'client_secret_post'], 'client_secret_post', 'body'],
] as const)
  test(`the secret of a registration is sent ${what}`, async () => {
    await using servers = await startScriptedServers()
    servers.issuerDocument.token_endpoint_auth_methods_supported = methods
    registerWith(servers, {
      client_secret: 'the secret',
      client_secret_expires_at: 0,
      ...(granted === undefined ? {} : { token_endpoint_auth_method: granted }),
    })
    await oauthFor(servers).signIn()
    const [exchange] = servers.at('/token')
    const form = new URLSearchParams(exchange?.body)
    assert.equal(exchange?.authorization?.startsWith('Basic ') ?? false, sent === 'header')
    assert.equal(form.get('client_secret'), sent === 'body' ? 'the secret' : null)
  })

test('the secret of a configured client is sent with every token request', async () => {
  await using servers = await startScriptedServers()
  servers.issuerDocument.token_endpoint_auth_methods_supported = ['client_secret_post']
  const clock = { now: Date.now() }
  const options = { clientId: 'mine', clientSecret: 'the secret', now: () => clock.now }
  const oauth = oauthFor(servers, options)
  await oauth.signIn()
  clock.now += 3_600_000
  await oauth.token()
  await oauth.signOut()
  const forms = [...servers.at('/token'), ...servers.at('/revoke')].map(
    ({ body }) => new URLSearchParams(body),
  )
  assert.deepEqual(
    forms.map((form) => [form.get('client_id'), form.get('client_secret')]),
    Array.from({ length: 4 }, () => ['mine', 'the secret']),
  )
})

test('a registration that is answered with 200 is taken too', async () => {
  await using servers = await startScriptedServers()
  servers.script.set('/register', () => ({ body: { client_id: 'lenient' } }))
  const person = scriptedPerson()
  await oauthFor(servers, { redirect: person }).signIn()
  assert.equal(person.pages[0]?.searchParams.get('client_id'), 'lenient')
})

function personAt(redirectUri: string): Redirect {
  const person = scriptedPerson()
  return { ...person, open: async () => ({ ...(await person.open()), redirectUri }) }
}

function registerWith(servers: ScriptedServers, fields: Readonly<Record<string, unknown>>): void {
  servers.script.set('/register', ({ body }) => {
    const { token_endpoint_auth_method: _, ...metadata } = JSON.parse(body)
    return { status: 201, body: { ...metadata, client_id: 'with-secret', ...fields } }
  })
}
