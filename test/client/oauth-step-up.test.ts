import assert from 'node:assert/strict'
import { test } from 'node:test'
import { memoryStore } from '../../src/client/oauth/memory-store.ts'
import { isClientError } from './client-error-check.ts'
import { oauthFor, twenty } from './scripted-oauth.ts'
import { scriptedPerson, startScriptedServers } from './scripted-servers.ts'

test('a call that needs more asks for what there is and what is missing, and is repeated', async () => {
  await using servers = await startScriptedServers()
  const person = scriptedPerson()
  const oauth = oauthFor(servers, { redirect: person })
  await oauth.fetch(servers.resource)
  servers.needs = ['write']
  const response = await oauth.fetch(servers.resource, { method: 'POST', body: 'a note' })
  assert.deepEqual(await response.json(), { scopes: ['read', 'write'] })
  assert.equal(servers.at('/mcp').at(-1)?.body, 'a note')
  assert.deepEqual(
    person.pages.map((page) => page.searchParams.get('scope')),
    ['read', 'read write'],
  )
})

test('twenty calls at once that need more ask once', async () => {
  await using servers = await startScriptedServers()
  const person = scriptedPerson()
  const oauth = oauthFor(servers, { redirect: person })
  await oauth.fetch(servers.resource)
  servers.needs = ['write']
  const statuses = await Promise.all(twenty(async () => (await oauth.fetch(servers.resource)).status))
  assert.deepEqual(new Set(statuses), new Set([200]))
  assert.equal(person.pages.length, 2)
})

test('a no to one of twenty calls at once that need more is a no to all of them, and the next call asks', async () => {
  await using servers = await startScriptedServers()
  const person = scriptedPerson((_page, honest) => (isWilling ? honest : denied(honest)))
  let isWilling = true
  const oauth = oauthFor(servers, { redirect: person })
  await oauth.fetch(servers.resource)
  servers.needs = ['write']
  isWilling = false
  const calls = await Promise.allSettled(twenty(() => oauth.fetch(servers.resource)))
  for (const call of calls)
    assert.ok(call.status === 'rejected' && isClientError('sign_in_refused')(call.reason))
  assert.equal(person.pages.length, 2)
  isWilling = true
  assert.equal((await oauth.fetch(servers.resource)).status, 200)
  assert.equal(person.pages.length, 3)
})

test('a scope that the person does not grant is asked for once for twenty calls at once', async () => {
  await using servers = await startScriptedServers()
  const person = scriptedPerson()
  const oauth = oauthFor(servers, { redirect: person })
  await oauth.fetch(servers.resource)
  servers.needs = ['write']
  servers.grants = (asked) => asked.filter((scope) => scope !== 'write')
  const statuses = await Promise.all(twenty(async () => (await oauth.fetch(servers.resource)).status))
  assert.deepEqual(new Set(statuses), new Set([403]))
  assert.equal(person.pages.length, 2)
})

test('while a person thinks about more, calls that need no more go on, and their token is refreshed', async () => {
  await using servers = await startScriptedServers()
  const clock = { now: Date.now() }
  const thinking = Promise.withResolvers<URL>()
  const asked = Promise.withResolvers<URL>()
  const person = scriptedPerson((_page, honest) => {
    if (person.pages.length === 1) return honest
    asked.resolve(honest)
    return thinking.promise
  })
  const oauth = oauthFor(servers, { redirect: person, now: () => clock.now })
  await oauth.fetch(servers.resource)
  servers.needs = ['write']
  const wider = oauth.fetch(servers.resource)
  const honest = await asked.promise
  servers.needs = ['read']
  clock.now += 3_600_000
  servers.tokens.clear()
  assert.equal((await oauth.fetch(servers.resource)).status, 200)
  servers.tokens.clear()
  assert.equal((await oauth.fetch(servers.resource)).status, 200)
  servers.needs = ['write']
  thinking.resolve(honest)
  assert.equal((await wider).status, 200)
})

test('while a person thinks about more, a scope that another program has got meanwhile is used at once', async () => {
  await using servers = await startScriptedServers()
  const thinking = Promise.withResolvers<URL>()
  const asked = Promise.withResolvers<URL>()
  const person = scriptedPerson((_page, honest) => {
    if (person.pages.length === 1) return honest
    asked.resolve(honest)
    return thinking.promise
  })
  const store = memoryStore()
  const oauth = oauthFor(servers, { redirect: person, store })
  await oauth.fetch(servers.resource)
  servers.needs = ['admin']
  const wider = oauth.fetch(servers.resource)
  const honest = await asked.promise
  const [grant] = await store.grants()
  assert.ok(grant !== undefined)
  await store.setGrant({ ...grant, accessToken: 'of another', scopes: ['read', 'write'] })
  servers.tokens.set('of another', ['read', 'write'])
  servers.needs = ['write']
  assert.equal((await oauth.fetch(servers.resource)).status, 200)
  servers.needs = ['admin']
  thinking.resolve(honest)
  assert.equal((await wider).status, 200)
})

test('a server that always wants another scope is followed twice, and then its 403 is the answer', async () => {
  await using servers = await startScriptedServers()
  const person = scriptedPerson()
  const oauth = oauthFor(servers, { redirect: person })
  await oauth.fetch(servers.resource)
  let more = 0
  servers.script.set('/mcp', () => {
    more += 1
    return {
      status: 403,
      headers: { 'www-authenticate': `Bearer error="insufficient_scope", scope="more:${more}"` },
      body: { more },
    }
  })
  const response = await oauth.fetch(servers.resource)
  assert.equal(response.status, 403)
  assert.deepEqual(await response.json(), { more: 3 })
  assert.deepEqual(
    person.pages.map((page) => page.searchParams.get('scope')),
    ['read', 'read more:1', 'read more:1 more:2'],
  )
})

test('a scope that the person does not grant is asked for once in a call', async () => {
  await using servers = await startScriptedServers()
  const person = scriptedPerson()
  const oauth = oauthFor(servers, { redirect: person })
  await oauth.fetch(servers.resource)
  servers.needs = ['write']
  servers.grants = (asked) => asked.filter((scope) => scope !== 'write')
  assert.equal((await oauth.fetch(servers.resource)).status, 403)
  assert.equal(person.pages.length, 2)
})

test('a 403 for a scope that the token has is not answered with a sign-in', async () => {
  await using servers = await startScriptedServers()
  const person = scriptedPerson()
  const oauth = oauthFor(servers, { redirect: person })
  await oauth.fetch(servers.resource)
  for (const header of [
    'Bearer error="insufficient_scope", scope="read"',
    'Bearer error="insufficient_scope"',
  ]) {
    servers.script.set('/mcp', () => ({ status: 403, headers: { 'www-authenticate': header } }))
    assert.equal((await oauth.fetch(servers.resource)).status, 403)
  }
  assert.equal(person.pages.length, 1)
})

function denied(honest: URL): URL {
  const answer = new URL(honest)
  answer.searchParams.delete('code')
  answer.searchParams.set('error', 'access_denied')
  return answer
}
