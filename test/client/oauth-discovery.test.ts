import assert from 'node:assert/strict'
import { test } from 'node:test'
import { memoryStore } from '../../src/client/oauth/memory-store.ts'
import { isClientError } from './client-error-check.ts'
import { oauthFor } from './scripted-oauth.ts'
import { scriptedPerson, startScriptedServers } from './scripted-servers.ts'

const pathForm = '/.well-known/oauth-protected-resource/mcp'
const rootForm = '/.well-known/oauth-protected-resource'
const silent = { status: 401 }

test('without an announcement the metadata is looked for under the path, then at the root', async () => {
  await using servers = await startScriptedServers()
  servers.script.set(pathForm, () => ({ status: 404 }))
  servers.script.set(rootForm, () => ({ body: servers.resourceDocument }))
  servers.script.set('/mcp', ({ authorization }) => (authorization === undefined ? silent : {}))
  assert.equal((await oauthFor(servers).fetch(servers.resource)).status, 200)
  assert.deepEqual([servers.at(pathForm).length, servers.at(rootForm).length], [1, 1])
})

test('what the challenge announces is read, and nothing else is tried', async () => {
  await using servers = await startScriptedServers()
  const announced = new URL('/somewhere', servers.resource).href
  servers.script.set('/somewhere', () => ({ body: servers.resourceDocument }))
  servers.script.set('/mcp', ({ authorization }) =>
    authorization === undefined
      ? { status: 401, headers: { 'www-authenticate': `Bearer resource_metadata="${announced}"` } }
      : {},
  )
  assert.equal((await oauthFor(servers).fetch(servers.resource)).status, 200)
  assert.deepEqual([servers.at('/somewhere').length, servers.at(pathForm).length], [1, 0])
})

test('a sign-in before any call asks the server where its metadata is, where the usual places are empty', async () => {
  await using servers = await startScriptedServers()
  const announced = new URL('/somewhere', servers.resource).href
  servers.script.set('/somewhere', () => ({ body: servers.resourceDocument }))
  servers.script.set(pathForm, () => ({ status: 404 }))
  servers.script.set('/mcp', () => ({
    status: 401,
    headers: { 'www-authenticate': `Bearer resource_metadata="${announced}"` },
  }))
  const { scopes } = await oauthFor(servers).signIn()
  assert.deepEqual(scopes, ['read', 'write'])
})

test('a server that says nothing at all: the error says so, and an issuer that the host knows helps', async () => {
  await using servers = await startScriptedServers()
  servers.script.set(pathForm, () => ({ status: 404 }))
  servers.script.set('/mcp', ({ authorization }) => (authorization === undefined ? silent : {}))
  await assert.rejects(oauthFor(servers).fetch(servers.resource), (error: Error) => {
    // Commands show it too, and none of them has an option for it.
    assert.match(error.message, /a program that knows the authorization server can name it to createOAuth/)
    return isClientError('no_metadata')(error)
  })
  const oauth = oauthFor(servers, { issuer: servers.issuer })
  assert.equal((await oauth.fetch(servers.resource)).status, 200)
})

test('of several authorization servers the first is taken, or the one that the host wants', async () => {
  await using servers = await startScriptedServers()
  await using other = await startScriptedServers()
  servers.resourceDocument.authorization_servers = [other.issuer, servers.issuer]
  assert.equal((await oauthFor(servers).signIn()).issuer, other.issuer)
  assert.equal((await oauthFor(servers, { issuer: servers.issuer }).signIn()).issuer, servers.issuer)
  await assert.rejects(
    oauthFor(servers, { issuer: 'https://third.example' }).signIn(),
    isClientError('issuer_mismatch'),
  )
})

for (const [form, place] of [
  ['RFC 8414', '/.well-known/oauth-authorization-server/tenant'],
  ['OpenID, the path at the end', '/.well-known/openid-configuration/tenant'],
  ['OpenID, the path in front', '/tenant/.well-known/openid-configuration'],
] as const)
  test(`the metadata of an issuer with a path is found: ${form}`, async () => {
    await using servers = await startScriptedServers()
    const issuer = `${servers.issuer}/tenant`
    servers.resourceDocument.authorization_servers = [issuer]
    servers.script.set(place, () => ({ body: { ...servers.issuerDocument, issuer } }))
    const redirect = scriptedPerson((_page, answer) => {
      answer.searchParams.set('iss', issuer)
      return answer
    })
    assert.equal((await oauthFor(servers, { redirect }).signIn()).issuer, issuer)
  })

test('a slash at the end of the resource is no difference, and the issuer gets it as the resource writes it', async () => {
  await using servers = await startScriptedServers()
  servers.resourceDocument.resource = `${servers.resource}/`
  const clock = { now: Date.now() }
  const person = scriptedPerson()
  const oauth = oauthFor(servers, { redirect: person, now: () => clock.now })
  await oauth.signIn()
  clock.now += 3_600_000
  await oauth.token()
  const sent = servers.at('/token').map(({ body }) => new URLSearchParams(body).get('resource'))
  assert.deepEqual(sent, [`${servers.resource}/`, `${servers.resource}/`])
  assert.equal(person.pages[0]?.searchParams.get('resource'), `${servers.resource}/`)
  assert.equal(oauth.resource, servers.resource)
})

test('an issuer that sends no iss and does not promise one is believed by its state', async () => {
  await using servers = await startScriptedServers()
  servers.issuerDocument.authorization_response_iss_parameter_supported = undefined
  const redirect = scriptedPerson((_page, answer) => {
    answer.searchParams.delete('iss')
    return answer
  })
  assert.equal((await oauthFor(servers, { redirect }).fetch(servers.resource)).status, 200)
})

test('a token that was got for another client or issuer than the configured one is not used', async () => {
  await using servers = await startScriptedServers()
  const store = memoryStore()
  await oauthFor(servers, { store }).signIn()
  for (const options of [{ clientId: 'other' }, { issuer: 'https://other.example' }])
    await assert.rejects(
      oauthFor(servers, { store, mayAsk: false, ...options }).token(),
      isClientError('sign_in_required'),
    )
})
