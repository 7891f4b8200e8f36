import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import * as oauth from 'oauth4webapi'
import { redirectUri } from '../authorization-server/settings.ts'
import { openChromium } from '../chromium.ts'
import { signInAndAllow } from './browser-person.ts'
import { callTool, challengeOf, discover } from './e2e-plain-client.ts'
import { desk, startPrograms } from './e2e-programs.ts'

type Keys = Awaited<ReturnType<typeof oauth.generateKeyPair>>

const insecure = { [oauth.allowInsecureRequests]: true }
const browser = await openChromium()
after(() => browser.close())

for (const isOpaque of [false, true]) {
  const words = isOpaque ? 'an opaque token' : 'a JWT'
  test(`${words} of the authority that is bound to a key works at the gateway with that key alone`, async () => {
    await using programs = await startPrograms({ isOpaque })
    const { resource } = programs
    const keys = await oauth.generateKeyPair('ES256')
    const token = await boundToken(resource, keys)
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
}

/** By the code flow, with a proof at the token endpoint. */
async function boundToken(resource: string, keys: Keys): Promise<string> {
  await using context = await browser.newContext()
  const { server, ask } = await discover(resource, desk.id)
  const client = { client_id: desk.id }
  const { page, state, verifier } = await ask('notes:read')
  const back = oauth.validateAuthResponse(server, client, await signInAndAllow(context, page), state)
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
