import assert from 'node:assert/strict'
import { test } from 'node:test'
import { memoryStore } from '../../src/client/oauth/memory-store.ts'
import type { Redirect } from '../../src/client/oauth/redirect.ts'
import { isClientError } from './client-error-check.ts'
import { oauthFor } from './scripted-oauth.ts'
import {
  honestToken,
  type ScriptedServers,
  scriptedPerson,
  startScriptedServers,
} from './scripted-servers.ts'

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

test('a server that has forgotten the client is told again who asks, before the person is sent there', async () => {
  await using servers = await startScriptedServers()
  const forget = forgetfulRegistration(servers)
  const store = memoryStore()
  await oauthFor(servers, { store }).signIn()
  forget()
  const person = scriptedPerson()
  await oauthFor(servers, { store, redirect: person }).signIn()
  assert.deepEqual(
    person.pages.map((page) => page.searchParams.get('client_id')),
    ['client-2'],
  )
  assert.deepEqual(
    (await store.clients(servers.issuer)).map(({ clientId }) => clientId),
    ['client-2'],
  )
})

test('a server that forgets the client during the sign-in is told again who asks, at the next one', async () => {
  await using servers = await startScriptedServers()
  const store = memoryStore()
  servers.script.set('/token', () => ({ status: 401, body: { error: 'invalid_client' } }))
  await assert.rejects(oauthFor(servers, { store }).signIn(), isClientError('token_refused'))
  servers.script.delete('/token')
  await oauthFor(servers, { store }).signIn()
  assert.equal(servers.at('/register').length, 2)
})

test('a client that the server did not know at a refresh is not kept', async () => {
  await using servers = await startScriptedServers()
  const forget = forgetfulRegistration(servers)
  const store = memoryStore()
  await oauthFor(servers, { store }).signIn()
  forget()
  const later = { store, now: () => Date.now() + 3_600_000, mayAsk: false }
  await assert.rejects(oauthFor(servers, later).token(), isClientError('sign_in_required'))
  assert.deepEqual([await store.grants(), await store.clients(servers.issuer)], [[], []])
})

for (const [what, answer] of [
  ['does not say that it has forgotten it', { status: 503, body: 'busy' }],
  ['takes no refresh from it', { status: 400, body: { error: 'unauthorized_client' } }],
] as const)
  test(`a kept client is used where the server ${what}`, async () => {
    await using servers = await startScriptedServers()
    const store = memoryStore()
    await oauthFor(servers, { store }).signIn()
    const redirect = scriptedPerson((_page, honest) => {
      servers.script.delete('/token')
      return honest
    })
    servers.script.set('/token', () => answer)
    await oauthFor(servers, { store, redirect }).signIn()
    assert.equal(servers.at('/register').length, 1)
  })

test('of two sign-ins at once each keeps the client that its grant needs', async () => {
  await using servers = await startScriptedServers()
  forgetfulRegistration(servers, { client_secret: 'secret', client_secret_expires_at: 0 })
  servers.issuerDocument.token_endpoint_auth_methods_supported = ['client_secret_post']
  const other = `${new URL(servers.resource).origin}/api`
  servers.script.set('/.well-known/oauth-protected-resource/api', () => ({
    body: { ...servers.resourceDocument, resource: other },
  }))
  const store = memoryStore()
  const second = { store, resource: other, redirect: personAt('http://127.0.0.1:2/callback') }
  const redirect = scriptedPerson(async (_page, honest) => {
    await oauthFor(servers, second).signIn()
    return honest
  })
  await oauthFor(servers, { store, redirect }).signIn()
  const later = { store, now: (): number => Date.now() + 3_600_000, mayAsk: false }
  await oauthFor(servers, later).token()
  await oauthFor(servers, { ...later, resource: other }).token()
  assert.deepEqual(
    servers
      .at('/token')
      .slice(2)
      .map(({ body }) => new URLSearchParams(body))
      .map((form) => [form.get('client_id'), form.get('client_secret')]),
    [
      ['client-1', 'secret'],
      ['client-2', 'secret'],
    ],
  )
})

for (const [what, options] of [
  ['nobody has kept', {}],
  ['is not the one of this program', { clientMetadataUrl: document }],
] as const)
  test(`a token of a client that ${what} is refreshed and revoked, not thrown away`, async () => {
    await using servers = await startScriptedServers()
    servers.issuerDocument.client_id_metadata_document_supported = true
    const store = memoryStore()
    await oauthFor(servers, { store, clientId: 'configured once' }).signIn()
    const later = { store, now: (): number => Date.now() + 3_600_000, mayAsk: false, ...options }
    const oauth = oauthFor(servers, later)
    await oauth.token()
    assert.deepEqual(await oauth.signOut(), { isRevoked: true })
    assert.deepEqual(
      [...servers.at('/token'), ...servers.at('/revoke')].map(({ body }) =>
        new URLSearchParams(body).get('client_id'),
      ),
      Array.from({ length: 4 }, () => 'configured once'),
    )
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

/** Gives each registration an id of its own; what it returns makes the server forget those so far. */
function forgetfulRegistration(servers: ScriptedServers, fields: object = {}): () => void {
  let count = 0
  servers.script.set('/register', ({ body }) => {
    count += 1
    return { status: 201, body: { ...JSON.parse(body), client_id: `client-${count}`, ...fields } }
  })
  return () => {
    const latest = count
    servers.script.set('/token', (arrival) => {
      const id = Number(new URLSearchParams(arrival.body).get('client_id')?.replace('client-', ''))
      return id <= latest ? { status: 401, body: { error: 'invalid_client' } } : honestToken(arrival, servers)
    })
  }
}

function registerWith(servers: ScriptedServers, fields: Readonly<Record<string, unknown>>): void {
  servers.script.set('/register', ({ body }) => {
    const { token_endpoint_auth_method: _, ...metadata } = JSON.parse(body)
    return { status: 201, body: { ...metadata, client_id: 'with-secret', ...fields } }
  })
}
