import assert from 'node:assert/strict'
import { test } from 'node:test'
import { memoryStore } from '../../src/client/oauth/memory-store.ts'
import type { AuthEvent } from '../../src/client/oauth/oauth-options.ts'
import { isClientError } from './client-error-check.ts'
import { oauthFor, twenty } from './scripted-oauth.ts'
import { honestToken, scriptedPerson, startScriptedServers } from './scripted-servers.ts'

test('a refused call leads to discovery, registration, sign-in and a retry with the token', async () => {
  await using servers = await startScriptedServers()
  const person = scriptedPerson()
  const events: AuthEvent[] = []
  const oauth = oauthFor(servers, { redirect: person, onEvent: (event) => void events.push(event) })
  const response = await oauth.fetch(servers.resource, { method: 'POST', body: 'the body' })
  assert.equal(response.status, 200)
  assert.deepEqual(
    servers.at('/mcp').map(({ method, body, authorization }) => [method, body, authorization !== undefined]),
    [
      ['POST', 'the body', false],
      ['POST', 'the body', true],
    ],
  )
  assert.deepEqual(
    events.map(({ kind }) => kind),
    ['discovered', 'asked', 'registered', 'signed-in'],
  )
  const [page] = person.pages
  const asked = Object.fromEntries(page?.searchParams ?? [])
  assert.equal(asked.resource, servers.resource)
  assert.equal(asked.scope, 'read')
  assert.equal(asked.code_challenge_method, 'S256')
  assert.match(String(asked.code_challenge), /^[\w-]{43}$/)
  const [exchange] = servers.at('/token').map(({ body }) => Object.fromEntries(new URLSearchParams(body)))
  assert.equal(exchange?.resource, servers.resource)
  assert.equal(exchange?.redirect_uri, asked.redirect_uri)
  assert.ok(exchange?.code_verifier)
})

test('twenty calls at once sign in once', async () => {
  await using servers = await startScriptedServers()
  const person = scriptedPerson()
  const oauth = oauthFor(servers, { redirect: person })
  const statuses = await Promise.all(twenty(async () => (await oauth.fetch(servers.resource)).status))
  assert.deepEqual(new Set(statuses), new Set([200]))
  assert.equal(person.pages.length, 1)
})

test('a no to one of twenty calls at once is a no to all of them, and the next call asks', async () => {
  await using servers = await startScriptedServers()
  const person = scriptedPerson((_page, honest) => {
    if (person.pages.length > 1) return honest
    const answer = new URL(honest)
    answer.searchParams.set('error', 'access_denied')
    return answer
  })
  const oauth = oauthFor(servers, { redirect: person })
  const calls = await Promise.allSettled(twenty(() => oauth.fetch(servers.resource)))
  for (const call of calls)
    assert.ok(call.status === 'rejected' && isClientError('sign_in_refused')(call.reason))
  assert.equal(person.pages.length, 1)
  assert.equal((await oauth.fetch(servers.resource)).status, 200)
  assert.equal(person.pages.length, 2)
})

test('twenty calls at once with a token that has expired refresh it once', async () => {
  await using servers = await startScriptedServers()
  const clock = { now: Date.now() }
  const events: string[] = []
  const oauth = oauthFor(servers, {
    now: () => clock.now,
    onEvent: ({ kind }) => void events.push(kind),
  })
  await oauth.signIn({ scopes: ['read'] })
  servers.tokens.clear()
  clock.now += 3_600_000
  const statuses = await Promise.all(twenty(async () => (await oauth.fetch(servers.resource)).status))
  assert.deepEqual(new Set(statuses), new Set([200]))
  assert.equal(servers.at('/token').length, 2)
  assert.equal(events.filter((kind) => kind === 'refreshed').length, 1)
})

test('twenty calls at once whose token is refused before its time refresh it once', async () => {
  await using servers = await startScriptedServers()
  const oauth = oauthFor(servers)
  await oauth.signIn({ scopes: ['read'] })
  servers.tokens.clear()
  const statuses = await Promise.all(twenty(async () => (await oauth.fetch(servers.resource)).status))
  assert.deepEqual(new Set(statuses), new Set([200]))
  assert.equal(servers.at('/token').length, 2)
})

test('a token is refreshed a minute before it expires, and not earlier', async () => {
  await using servers = await startScriptedServers()
  const clock = { now: Date.now() }
  const oauth = oauthFor(servers, { now: () => clock.now })
  await oauth.signIn()
  clock.now += 3_539_000
  await oauth.fetch(servers.resource)
  assert.equal(servers.at('/token').length, 1)
  clock.now += 1000
  await oauth.fetch(servers.resource)
  assert.equal(servers.at('/token').length, 2)
})

test('a refreshed token whose end is not told is used until it is refused', async () => {
  await using servers = await startScriptedServers()
  const clock = { now: Date.now() }
  const oauth = oauthFor(servers, { now: () => clock.now })
  await oauth.signIn({ scopes: ['read'] })
  servers.script.set('/token', (arrival) => {
    const { body, ...answer } = honestToken(arrival, servers)
    const { expires_in: _, ...untimed } = Object(body)
    return { ...answer, body: untimed }
  })
  clock.now += 3_600_000
  for (const _ of [1, 2, 3]) assert.equal((await oauth.fetch(servers.resource)).status, 200)
  assert.equal(servers.at('/token').length, 2)
  servers.tokens.clear()
  assert.equal((await oauth.fetch(servers.resource)).status, 200)
  assert.equal(servers.at('/token').length, 3)
})

test('while the issuer is away, a token that is due but not expired is still used', async () => {
  await using servers = await startScriptedServers()
  const clock = { now: Date.now() }
  const oauth = oauthFor(servers, { now: () => clock.now })
  await oauth.signIn()
  servers.script.set('/token', () => ({ status: 503 }))
  clock.now += 3_550_000
  assert.equal((await oauth.fetch(servers.resource)).status, 200)
  clock.now += 60_000
  await assert.rejects(oauth.fetch(servers.resource), isClientError('token_refused'))
  servers.script.delete('/token')
  assert.equal((await oauth.fetch(servers.resource)).status, 200)
})

test('when the grant has ended, the person is asked again', async () => {
  await using servers = await startScriptedServers()
  const person = scriptedPerson()
  const oauth = oauthFor(servers, { redirect: person })
  await oauth.signIn({ scopes: ['read'] })
  servers.tokens.clear()
  servers.refreshTokens.clear()
  assert.equal((await oauth.fetch(servers.resource)).status, 200)
  assert.equal(person.pages.length, 2)
})

test('a token that is refused although it is new ends in an error, not in a loop', async () => {
  await using servers = await startScriptedServers()
  const person = scriptedPerson()
  servers.script.set('/mcp', () => ({
    status: 401,
    headers: { 'www-authenticate': 'Bearer error="invalid_token", error_description="wrong audience"' },
  }))
  const oauth = oauthFor(servers, { redirect: person })
  await assert.rejects(oauth.fetch(servers.resource), (error: Error) => {
    assert.match(error.message, /wrong audience/)
    return isClientError('token_not_accepted')(error)
  })
  assert.equal(person.pages.length, 1)
})

for (const [how, options] of [
  ['nobody may be asked', { mayAsk: false }],
  ['the host says no', { mayAsk: () => false }],
] as const)
  test(`where ${how}, a call without a token fails with sign_in_required, and one that needs more gets its 403`, async () => {
    await using servers = await startScriptedServers()
    const store = memoryStore()
    const person = scriptedPerson()
    const oauth = oauthFor(servers, { store, redirect: person, ...options })
    await assert.rejects(oauth.fetch(servers.resource), isClientError('sign_in_required'))
    await oauthFor(servers, { store }).signIn({ scopes: ['read'] })
    assert.equal((await oauth.fetch(servers.resource)).status, 200)
    servers.needs = ['write']
    assert.equal((await oauth.fetch(servers.resource)).status, 403)
    assert.equal(person.pages.length, 0)
  })

test('a token kept by another host for the same resource is used without a question', async () => {
  await using servers = await startScriptedServers()
  const store = memoryStore()
  const first = await oauthFor(servers, { store }).token()
  const second = await oauthFor(servers, { store, mayAsk: false }).token()
  assert.equal(second.accessToken, first.accessToken)
  assert.equal(second.issuer, servers.issuer)
  assert.equal(servers.at('/register').length, 1)
})

test('signing out revokes both tokens at the issuer and forgets them, and the registration with the last of them', async () => {
  await using servers = await startScriptedServers()
  const store = memoryStore()
  const oauth = oauthFor(servers, { store, mayAsk: ({ why }) => why === 'sign-in' && !isOut })
  let isOut = false
  await oauth.token()
  isOut = true
  assert.deepEqual(await oauth.signOut(), { isRevoked: true })
  assert.equal(servers.tokens.size + servers.refreshTokens.size, 0)
  assert.deepEqual([await store.grants(), await store.clients(servers.issuer)], [[], []])
  await assert.rejects(oauth.token(), isClientError('sign_in_required'))
})

test('who signed out is not signed in again by the answer to a call of before', async () => {
  await using servers = await startScriptedServers()
  const [held, slow] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  let isFirst = true
  const person = scriptedPerson()
  const oauth = oauthFor(servers, {
    redirect: person,
    fetch: async (input, init) => {
      const response = await fetch(input, init)
      if (response.status === 401 && isFirst) {
        isFirst = false
        held.resolve()
        await slow.promise
      }
      return response
    },
  })
  const early = oauth.fetch(servers.resource)
  await held.promise
  await oauth.fetch(servers.resource)
  const first = (await oauth.token()).accessToken
  await oauth.signOut()
  slow.resolve()
  assert.equal((await early).status, 200)
  assert.equal(person.pages.length, 2)
  assert.notEqual((await oauth.token()).accessToken, first)
})

test('signing out forgets the tokens here even when the issuer does not answer', async () => {
  await using servers = await startScriptedServers()
  const store = memoryStore()
  const oauth = oauthFor(servers, { store })
  await oauth.token()
  servers.script.set('/revoke', () => ({ status: 503 }))
  assert.deepEqual(await oauth.signOut(), { isRevoked: false })
  assert.deepEqual(await store.grants(), [])
})

test('a server that wants no token gets none, and nobody is asked', async () => {
  await using servers = await startScriptedServers()
  servers.script.set('/mcp', () => ({ body: 'open' }))
  const person = scriptedPerson()
  const response = await oauthFor(servers, { redirect: person }).fetch(servers.resource)
  assert.equal(await response.json(), 'open')
  assert.equal(person.pages.length, 0)
})

test('a body that can be read only once is sent again in full', async () => {
  await using servers = await startScriptedServers()
  const body = new Blob(['read ', 'once']).stream()
  const request = new Request(servers.resource, { method: 'POST', body: 'from a request' })
  await oauthFor(servers).fetch(servers.resource, { method: 'POST', body })
  await oauthFor(servers).fetch(request)
  assert.deepEqual(
    servers.at('/mcp').map((arrival) => arrival.body),
    ['read once', 'read once', 'from a request', 'from a request'],
  )
})

test('a call that is aborted while the person signs in ends, and so does the sign-in', async () => {
  await using servers = await startScriptedServers()
  const stop = new AbortController()
  const redirect = scriptedPerson((page) => {
    stop.abort(new Error('changed my mind'))
    return new Promise(() => page)
  })
  const oauth = oauthFor(servers, { redirect })
  const calls = [
    oauth.fetch(servers.resource, { signal: stop.signal }),
    oauth.signIn({ signal: stop.signal }),
  ]
  for (const call of await Promise.allSettled(calls))
    assert.match(String(call.status === 'rejected' && call.reason), /changed my mind/)
  assert.equal(redirect.pages.length, 1)
})

test('a person who never answers is not waited for longer than said', async () => {
  await using servers = await startScriptedServers()
  const redirect = scriptedPerson(() => new Promise(() => {}))
  const oauth = oauthFor(servers, { redirect, signInTimeoutMs: 50 })
  await assert.rejects(oauth.fetch(servers.resource), isClientError('sign_in_timeout'))
})

test('leave to stay connected is asked for where the issuer knows of it', async () => {
  await using servers = await startScriptedServers()
  servers.issuerDocument.scopes_supported = ['openid', 'offline_access']
  const person = scriptedPerson()
  await oauthFor(servers, { redirect: person }).fetch(servers.resource)
  const [asked] = person.pages.map(({ searchParams }) => [
    searchParams.get('scope'),
    searchParams.get('prompt'),
  ])
  assert.deepEqual(asked, ['read offline_access', 'consent'])
})
