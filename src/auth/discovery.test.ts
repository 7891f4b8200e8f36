import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { resource } from '../../test/auth/call.ts'
import { startLocalIssuer } from '../../test/auth/local-issuer.ts'
import { discoverKeySetUrl, metadataUrls } from './discovery.ts'
import { createJsonClient } from './json-client.ts'

const issuer = await startLocalIssuer({ audience: resource, path: '/tenant' })
const web = createJsonClient({ timeoutMs: 1000, bytes: 10_000 })
const insertion = '/.well-known/oauth-authorization-server/tenant'
const openid = '/tenant/.well-known/openid-configuration'
const good = issuer.metadata

after(async () => {
  await web.close()
  await issuer.stop()
})

test('the well-known part goes before the path, and for OpenID behind it', () => {
  assert.deepEqual(metadataUrls('https://as.example/tenant'), [
    'https://as.example/.well-known/oauth-authorization-server/tenant',
    'https://as.example/tenant/.well-known/openid-configuration',
  ])
  assert.deepEqual(metadataUrls('https://as.example/'), metadataUrls('https://as.example'))
})

test('the metadata of RFC 8414 is asked first, and is enough', async () => {
  issuer.serves = [insertion, openid]
  issuer.requests.clear()
  assert.equal(await discoverKeySetUrl(issuer.issuer, web), `${issuer.issuer}/jwks`)
  assert.deepEqual([...issuer.requests.keys()], [insertion])
})

test('the metadata of OpenID is found as well', async () => {
  issuer.serves = [openid]
  assert.equal(await discoverKeySetUrl(issuer.issuer, web), `${issuer.issuer}/jwks`)
})

test('no metadata, or metadata of another issuer or without a safe key set, is a failure', async () => {
  const documents = [
    { ...good, issuer: `${issuer.issuer}/` },
    { ...good, issuer: issuer.issuer.toUpperCase() },
    { ...good, issuer: undefined },
    { ...good, jwks_uri: undefined },
    { ...good, jwks_uri: 5 },
    { ...good, jwks_uri: 'http://as.example/jwks' },
    { ...good, jwks_uri: 'file:///etc/passwd' },
    { ...good, jwks_uri: '/jwks' },
  ]
  issuer.serves = [insertion, openid]
  for (const metadata of documents) {
    issuer.metadata = metadata
    await assert.rejects(discoverKeySetUrl(issuer.issuer, web), AggregateError)
  }
  issuer.metadata = good
  issuer.serves = []
  await assert.rejects(discoverKeySetUrl(issuer.issuer, web), AggregateError)
})

for (const mode of ['down', 'garbage', 'error', 'redirect', 'endless'] as const) {
  test(`metadata of an issuer in the state "${mode}" is a failure`, async () => {
    issuer.serves = [insertion, openid]
    issuer.mode = mode
    await assert.rejects(discoverKeySetUrl(issuer.issuer, web), AggregateError)
    assert.equal(issuer.requests.has('/elsewhere'), false)
  })
}
