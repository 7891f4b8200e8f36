import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import * as oauth from 'oauth4webapi'
import { redirectUri } from '../authorization-server/settings.ts'
import { goOn, signInAndAllow, sitDown } from './e2e-person.ts'
import { callTool, challengeOf, discover } from './e2e-plain-client.ts'
import { cacheSeconds, desk, type Programs, startPrograms } from './e2e-programs.ts'

type Keys = Awaited<ReturnType<typeof oauth.generateKeyPair>>

const insecure = { [oauth.allowInsecureRequests]: true }
const signed = await startPrograms()
after(() => signed[Symbol.asyncDispose]())
const opaque = await startPrograms({ isOpaque: true })
after(() => opaque[Symbol.asyncDispose]())

test('a token for another surface of the gateway is refused by the tool server', async () => {
  const { resource, issuer } = signed
  const client = await discover(resource, desk.id)
  const elsewhere = { resource: signed.otherResource }
  const asked = await client.ask(signed.otherScope, elsewhere)
  const callback = await signInAndAllow(sitDown(issuer), asked.page)
  const { access_token } = await client.redeem(asked, callback, elsewhere)
  const refused = await callTool(resource, access_token)
  assert.equal(refused.status, 401)
  assert.match(challengeOf(refused), /error="invalid_token"/)
})

test('an answer that names another issuer, or none, is refused by a plain client', async () => {
  const { resource, issuer } = signed
  const client = await discover(resource, desk.id)
  const asked = await client.ask('notes:read')
  const callback = await signInAndAllow(sitDown(issuer), asked.page)
  assert.equal(callback.searchParams.get('iss'), issuer)
  const mixedUp = new URL(callback)
  mixedUp.searchParams.set('iss', 'https://other.example')
  await assert.rejects(client.redeem(asked, mixedUp), /"iss"/)
  const without = new URL(callback)
  without.searchParams.delete('iss')
  await assert.rejects(client.redeem(asked, without), /"iss"/)
  assert.equal((await client.redeem(asked, callback)).scope, 'notes:read')
})

test('opaque tokens: a revoked one, or one whose refresh token is revoked, is refused as soon as the gateway asks again', async () => {
  const { resource, issuer } = opaque
  const browser = sitDown(issuer)
  const client = await discover(resource, desk.id)
  const asked = await client.ask('notes:read')
  const first = await client.redeem(asked, await signInAndAllow(browser, asked.page))
  assert.doesNotMatch(first.access_token, /\./)
  assert.equal((await callTool(resource, first.access_token)).status, 200)
  await client.revoke(first.access_token)
  await assertRefusedSoon(first.access_token)

  const again = await client.ask('notes:read')
  const back = await goOn(browser, again.page, /Continue as Ada Lovelace/)
  const second = await client.redeem(again, back)
  const third = await client.refresh(second.refresh_token ?? '')
  assert.equal((await callTool(resource, third.access_token)).status, 200)
  await client.revoke(third.refresh_token ?? '')
  await assertRefusedSoon(third.access_token)
  await assert.rejects(client.refresh(third.refresh_token ?? ''))
})

for (const [words, programs] of [
  ['a JWT', signed],
  ['an opaque token', opaque],
] as const)
  test(`${words} of the authority that is bound to a key works at the gateway with that key alone`, async () => {
    const { resource } = programs
    const keys = await oauth.generateKeyPair('ES256')
    const token = await boundToken(programs, keys)
    const answer = await callWithProof(resource, token, keys)
    assert.equal(answer.status, 200)
    assert.match(await answer.text(), /the notes of [0-9a-f-]{36}/)
    assert.equal((await callWithProof(resource, token, keys)).status, 200)

    const plain = await callTool(resource, token)
    assert.equal(plain.status, 401)
    assert.match(challengeOf(plain), /error="invalid_token"/)
    await assert.rejects(
      callWithProof(resource, token, await oauth.generateKeyPair('ES256')),
      isChallenge('invalid_dpop_proof'),
    )
  })

async function assertRefusedSoon(token: string): Promise<void> {
  // The answer is remembered until then, and not longer.
  await pause(cacheSeconds * 1000)
  const refused = await callTool(opaque.resource, token)
  assert.equal(refused.status, 401)
  assert.match(challengeOf(refused), /error="invalid_token"/)
}

/** By the code flow, with a proof at the token endpoint. */
async function boundToken({ resource, issuer }: Programs, keys: Keys): Promise<string> {
  const { server, ask } = await discover(resource, desk.id)
  const client = { client_id: desk.id }
  const { page, state, verifier } = await ask('notes:read')
  const callback = await signInAndAllow(sitDown(issuer), page)
  const back = oauth.validateAuthResponse(server, client, callback, state)
  const grant = oauth.authorizationCodeGrantRequest
  const sent = await grant(server, client, oauth.None(), back, redirectUri, verifier, {
    ...insecure,
    DPoP: oauth.DPoP({}, keys),
    additionalParameters: { resource },
  })
  const answer = await oauth.processAuthorizationCodeResponse(server, client, sent)
  assert.equal(answer.token_type, 'dpop')
  return answer.access_token
}

function callWithProof(resource: string, token: string, keys: Keys): Promise<Response> {
  const headers = new Headers({
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': '2025-11-25',
  })
  const params = { name: 'read_notes', arguments: {} }
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })
  const DPoP = oauth.DPoP({}, keys)
  return oauth.protectedResourceRequest(token, 'POST', new URL(resource), headers, body, {
    ...insecure,
    DPoP,
  })
}

function isChallenge(code: string): (error: unknown) => boolean {
  return (error) =>
    error instanceof oauth.WWWAuthenticateChallengeError &&
    error.cause.some(({ parameters }) => parameters.error === code)
}
