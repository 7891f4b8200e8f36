import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ClientError } from '../../src/client/client-error.ts'
import { memoryStore } from '../../src/client/oauth/memory-store.ts'
import { isClientError } from './client-error-check.ts'
import { oauthFor } from './scripted-oauth.ts'
import { type ScriptedServers, scriptedPerson, startScriptedServers } from './scripted-servers.ts'

const answers: readonly (readonly [what: string, change: (answer: URL) => void, code: string])[] = [
  [
    'names another issuer',
    ({ searchParams }) => searchParams.set('iss', 'https://other.example'),
    'issuer_mismatch',
  ],
  ['names no issuer', ({ searchParams }) => searchParams.delete('iss'), 'issuer_mismatch'],
  ['has another state', ({ searchParams }) => searchParams.set('state', 'other'), 'state_mismatch'],
  ['has no state', ({ searchParams }) => searchParams.delete('state'), 'state_mismatch'],
  ['has two states', ({ searchParams }) => searchParams.append('state', 'other'), 'state_mismatch'],
  ['says that the person refused', refuse('access_denied'), 'sign_in_refused'],
  ['says that something else is wrong', refuse('invalid_scope'), 'sign_in_failed'],
]

for (const [what, change, code] of answers)
  test(`an answer that ${what} is not redeemed: ${code}`, async () => {
    await using servers = await startScriptedServers()
    const redirect = scriptedPerson((_page, answer) => {
      change(answer)
      return answer
    })
    const store = memoryStore()
    await assert.rejects(oauthFor(servers, { redirect, store }).fetch(servers.resource), isClientError(code))
    assert.equal(servers.at('/token').length, 0)
    assert.deepEqual(await store.grants(), [])
  })

test('what an answer of somebody else says is wrong is not shown', async () => {
  await using servers = await startScriptedServers()
  const redirect = scriptedPerson((_page, answer) => {
    refuse('call-this-number')(answer)
    answer.searchParams.set('iss', 'https://other.example')
    return answer
  })
  await assert.rejects(oauthFor(servers, { redirect }).fetch(servers.resource), (error: Error) => {
    assert.doesNotMatch(error.message, /call-this-number|other\.example/)
    return true
  })
})

const documents: readonly (readonly [
  what: string,
  change: (servers: ScriptedServers) => void,
  code: string,
  words: RegExp,
])[] = [
  [
    'metadata of another resource',
    ({ resourceDocument }) => Object.assign(resourceDocument, { resource: 'https://bank.example/api' }),
    'resource_mismatch',
    /describes https:\/\/bank\.example\/api, not http/,
  ],
  [
    'metadata of the whole origin',
    ({ resource, resourceDocument }) =>
      Object.assign(resourceDocument, { resource: new URL(resource).origin }),
    'resource_mismatch',
    /use http:\S+ as the resource/,
  ],
  [
    'metadata without a resource',
    ({ resourceDocument }) => Object.assign(resourceDocument, { resource: undefined }),
    'invalid_metadata',
    /oauth-protected-resource\/mcp is no metadata/,
  ],
  [
    'metadata without an authorization server',
    ({ resourceDocument }) => Object.assign(resourceDocument, { authorization_servers: [] }),
    'no_authorization_server',
    /names no authorization server/,
  ],
  [
    'an announced document that is not there',
    ({ script }) => script.set('/.well-known/oauth-protected-resource/mcp', () => ({ status: 404 })),
    'no_metadata',
    /says that its metadata is at \S+, but nothing is there/,
  ],
  [
    'an authorization server over plain http elsewhere',
    ({ resourceDocument }) =>
      Object.assign(resourceDocument, { authorization_servers: ['http://issuer.example'] }),
    'insecure_url',
    /http:\/\/issuer\.example must be https/,
  ],
  [
    'an authorization server that names another issuer',
    ({ issuerDocument }) => Object.assign(issuerDocument, { issuer: 'https://other.example' }),
    'issuer_mismatch',
    /names another issuer/,
  ],
  [
    'an authorization server without metadata',
    ({ script }) => script.set('/.well-known/oauth-authorization-server', () => ({ status: 404 })),
    'no_server_metadata',
    /publishes no metadata/,
  ],
  [
    'an authorization server without S256',
    ({ issuerDocument }) => Object.assign(issuerDocument, { code_challenge_methods_supported: ['plain'] }),
    'pkce_unsupported',
    /S256/,
  ],
  [
    'an authorization server that does not say what it supports',
    ({ issuerDocument }) => Object.assign(issuerDocument, { code_challenge_methods_supported: undefined }),
    'pkce_unsupported',
    /code_challenge_methods_supported/,
  ],
  [
    'a token endpoint over plain http elsewhere',
    ({ issuerDocument }) => Object.assign(issuerDocument, { token_endpoint: 'http://issuer.example/token' }),
    'insecure_url',
    /token_endpoint of \S+ http:\/\/issuer\.example must be https/,
  ],
  [
    'a sign-in page that is a script',
    ({ issuerDocument }) => Object.assign(issuerDocument, { authorization_endpoint: 'javascript:alert(1)' }),
    'insecure_url',
    /authorization_endpoint/,
  ],
  [
    'no way to introduce oneself',
    ({ issuerDocument }) => Object.assign(issuerDocument, { registration_endpoint: undefined }),
    'no_client',
    /give its id as clientId/,
  ],
  [
    'a registration that is refused',
    ({ script }) =>
      script.set('/register', () => ({
        status: 400,
        body: { error: 'invalid_redirect_uri', error_description: 'no' },
      })),
    'registration_refused',
    /invalid_redirect_uri, no$/,
  ],
  [
    'a token endpoint that fails',
    ({ script }) => script.set('/token', () => ({ status: 500, body: 'broken' })),
    'token_refused',
    /status 500/,
  ],
  [
    'a token endpoint that redirects',
    ({ script }) =>
      script.set('/token', () => ({ status: 307, headers: { location: 'https://other.example' } })),
    'token_refused',
    /status 307/,
  ],
  [
    'a token endpoint that refuses the code',
    ({ script }) =>
      script.set('/token', () => ({
        status: 400,
        body: { error: 'invalid_grant', error_description: 'a\u001b[31m' },
      })),
    'token_refused',
    /invalid_grant, a \[31m$/,
  ],
  ['a token of another kind', tokenAnswer({ token_type: 'mac' }), 'token_refused', /gave no token/],
  ['a token that is no token', tokenAnswer({ access_token: 'a b\r\nx: y' }), 'token_refused', /characters/],
  [
    'a document that does not end',
    ({ script }) =>
      script.set('/.well-known/oauth-authorization-server', () => ({ body: 'x'.repeat(2_000_000) })),
    'too_large',
    /more than 1048576 bytes/,
  ],
]

for (const [what, change, code, words] of documents)
  test(`${what} ends the sign-in: ${code}`, async () => {
    await using servers = await startScriptedServers()
    change(servers)
    const store = memoryStore()
    await assert.rejects(oauthFor(servers, { store }).fetch(servers.resource), (error: Error) => {
      assert.match(error.message, words)
      return isClientError(code)(error)
    })
    assert.deepEqual(await store.grants(), [])
  })

test('the reason of the server and its status are on the error', async () => {
  await using servers = await startScriptedServers()
  servers.script.set('/token', () => ({ status: 400, body: { error: 'invalid_target' } }))
  await assert.rejects(oauthFor(servers).fetch(servers.resource), (error: unknown) => {
    assert.ok(error instanceof ClientError)
    assert.deepEqual([error.code, error.reason, error.status], ['token_refused', 'invalid_target', 400])
    return true
  })
})

function refuse(error: string): (answer: URL) => void {
  return ({ searchParams }) => {
    searchParams.delete('code')
    searchParams.set('error', error)
    searchParams.set('error_description', 'as the server says')
  }
}

function tokenAnswer(changes: Readonly<Record<string, string>>): (servers: ScriptedServers) => void {
  return ({ script }) => {
    script.set('/token', () => ({ body: { access_token: 'good', token_type: 'bearer', ...changes } }))
  }
}

test('an issuer whose name holds control characters is not shown with them', async () => {
  await using servers = await startScriptedServers()
  const name = `${servers.issuer}/\u001b]0;title\u0007x`
  Object.assign(servers.resourceDocument, { authorization_servers: [name] })
  const document = { ...servers.issuerDocument, issuer: name, registration_endpoint: undefined }
  servers.script.set('/.well-known/oauth-authorization-server/%1B]0;title%07x', () => ({ body: document }))
  await assert.rejects(oauthFor(servers).fetch(servers.resource), (error) => {
    assert.ok(error instanceof ClientError)
    assert.equal(error.code, 'no_client')
    assert.doesNotMatch(error.message, /\p{Cc}/u)
    return true
  })
})
