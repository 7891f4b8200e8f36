import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createOAuth } from '../../src/client/oauth/create-oauth.ts'
import { memoryStore } from '../../src/client/oauth/memory-store.ts'
import { isClientError } from './client-error-check.ts'
import { oauthFor } from './scripted-oauth.ts'
import { type Answer, scriptedPerson, startScriptedServers } from './scripted-servers.ts'

test('a server elsewhere cannot send the client to what listens on this machine', async () => {
  await using servers = await startScriptedServers()
  const resource = 'https://tools.example/mcp'
  const calls: string[] = []
  const document = { resource, authorization_servers: [servers.issuer] }
  const fetch: typeof globalThis.fetch = async (input) => {
    const { href, pathname } = new URL(input instanceof Request ? input.url : input)
    calls.push(href)
    return pathname.startsWith('/.well-known') ? Response.json(document) : new Response(null, { status: 401 })
  }
  const oauth = createOAuth({ resource, store: memoryStore(), redirect: scriptedPerson(), fetch })
  await assert.rejects(oauth.fetch(resource), isClientError('insecure_url'))
  assert.deepEqual(calls, [resource, 'https://tools.example/.well-known/oauth-protected-resource/mcp'])
})

for (const resource of [
  'http://tools.example/mcp',
  'http://127.0.0.1.example/mcp',
  'ftp://127.0.0.1/',
  'tools',
])
  test(`the resource ${resource} is refused before anything is sent`, () => {
    assert.throws(() => createOAuth({ resource, store: memoryStore() }), isClientError('insecure_url'))
  })

test('a redirect to another origin is not followed, and the token stays here', async () => {
  await using servers = await startScriptedServers()
  await using elsewhere = await startScriptedServers()
  const oauth = oauthFor(servers)
  await oauth.token()
  const away: Answer = { status: 307, headers: { location: elsewhere.resource } }
  servers.script.set('/mcp', () => away)
  await assert.rejects(oauth.fetch(servers.resource), isClientError('redirected'))
  assert.equal((await oauth.fetch(servers.resource, { redirect: 'manual' })).status, 307)
  assert.equal(elsewhere.arrivals.length, 0)
})

test('another origin is not called, with or without a token', async () => {
  await using servers = await startScriptedServers()
  await using elsewhere = await startScriptedServers()
  const oauth = oauthFor(servers)
  await assert.rejects(oauth.fetch(elsewhere.resource), isClientError('foreign_origin'))
  await oauth.token()
  await assert.rejects(oauth.fetch(elsewhere.resource), isClientError('foreign_origin'))
  await assert.rejects(oauth.fetch(new Request(elsewhere.resource)), isClientError('foreign_origin'))
  assert.equal(elsewhere.arrivals.length, 0)
})

test('a resource that moves to another issuer does not get the old refresh token there', async () => {
  await using servers = await startScriptedServers()
  await using other = await startScriptedServers()
  const store = memoryStore()
  const { accessToken } = await oauthFor(servers, { store }).token()
  const kept = await store.grant(servers.resource)
  servers.tokens.clear()
  servers.refreshTokens.clear()
  servers.resourceDocument.authorization_servers = [other.issuer]
  servers.script.set('/mcp', ({ authorization }) => {
    const isNew = other.tokens.has(authorization?.replace('Bearer ', '') ?? '')
    return isNew ? {} : { status: 401 }
  })
  const response = await oauthFor(servers, { store }).fetch(servers.resource)
  assert.equal(response.status, 200)
  const seen = JSON.stringify(other.arrivals)
  assert.doesNotMatch(seen, new RegExp(`${accessToken}|${kept?.refreshToken}`))
})

test('a refresh token that was refused is not used again', async () => {
  await using servers = await startScriptedServers()
  const store = memoryStore()
  const oauth = oauthFor(servers, {
    store,
    mayAsk: ({ why }) => why === 'sign-in' && servers.at('/token').length === 0,
  })
  await oauth.token()
  servers.tokens.clear()
  servers.refreshTokens.clear()
  for (const _attempt of [1, 2])
    await assert.rejects(oauth.fetch(servers.resource), isClientError('sign_in_required'))
  assert.equal(servers.at('/token').length, 2)
})
