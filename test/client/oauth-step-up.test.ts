import assert from 'node:assert/strict'
import { test } from 'node:test'
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
