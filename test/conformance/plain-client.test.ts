import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import * as oauth from 'oauth4webapi'
import { logIn } from '../authorization-server/log-in.ts'
import { publicClientId, redirectUri } from '../authorization-server/settings.ts'
import { startNoteServers } from './note-servers.ts'

/** The whole flow by the standards alone: a generic OAuth library and `fetch`, and nothing that knows MCP. */
const servers = await startNoteServers()
after(() => servers.stop())
const insecure = { [oauth.allowInsecureRequests]: true }
const client: oauth.Client = { client_id: publicClientId }

for (const kind of ['signed', 'opaque'] as const) {
  const url = servers[kind]

  test(`${kind} tokens: the challenge leads to metadata, issuer, sign-in and an answer`, async () => {
    const refused = await post(url, undefined)
    assert.equal(refused.status, 401)
    const challenge = challengeOf(refused)
    assert.match(challenge, /^Bearer resource_metadata="/)
    assert.doesNotMatch(challenge, /error=/)
    const resource = await resourceOf(url, challenge)
    const answer = await post(url, await tokenFor(resource, 'notes:read'))
    assert.equal(answer.status, 200)
    assert.match(await answer.text(), /the notes of ada/)
  })

  test(`${kind} tokens: one challenge names every scope that a refused call needs`, async () => {
    const resource = await resourceOf(url, challengeOf(await post(url, undefined)))
    const narrow = await tokenFor(resource, 'notes:read')
    const refused = await post(url, narrow, 'add_note')
    assert.equal(refused.status, 403)
    const challenge = challengeOf(refused)
    assert.match(challenge, /error="insufficient_scope"/)
    const [, scope = ''] = /[ ,]scope="([^"]+)"/.exec(challenge) ?? []
    assert.equal(scope, 'notes:write')
    const answer: { error?: { message?: string } } = JSON.parse(await refused.text())
    assert.equal(answer.error?.message, 'insufficient scope')
    const wider = await tokenFor(resource, scope)
    assert.equal((await post(url, wider, 'add_note')).status, 200)
  })
}

test('a token for one gateway is refused by the other', async () => {
  const token = await tokenFor(await resourceOf(servers.opaque, undefined), 'notes:read')
  const refused = await post(servers.signed, token)
  assert.equal(refused.status, 401)
  assert.match(challengeOf(refused), /error="invalid_token"/)
})

async function post(url: string, token: string | undefined, tool = 'read_notes'): Promise<Response> {
  const input = tool === 'read_notes' ? {} : { text: 'hello' }
  return fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2025-11-25',
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: tool, arguments: input },
    }),
  })
}

function challengeOf(response: Response): string {
  return response.headers.get('www-authenticate') ?? ''
}

/** Checked as RFC 9728 §3.3 asks: the metadata must be about the URL that was called. */
async function resourceOf(url: string, challenge: string | undefined): Promise<oauth.ResourceServer> {
  const identifier = new URL(url)
  const response = await oauth.resourceDiscoveryRequest(identifier, insecure)
  if (challenge !== undefined) assert.ok(challenge.includes(`resource_metadata="${response.url}"`), challenge)
  return oauth.processResourceDiscoveryResponse(identifier, response)
}

async function tokenFor(resource: oauth.ResourceServer, scope: string): Promise<string> {
  const issuer = new URL(resource.authorization_servers?.[0] ?? '')
  const found = await oauth.discoveryRequest(issuer, { ...insecure, algorithm: 'oauth2' })
  const server = await oauth.processDiscoveryResponse(issuer, found)
  const verifier = oauth.generateRandomCodeVerifier()
  const page = new URL(server.authorization_endpoint ?? '')
  page.search = new URLSearchParams({
    response_type: 'code',
    client_id: client.client_id,
    redirect_uri: redirectUri,
    scope,
    resource: resource.resource,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  }).toString()
  const back = oauth.validateAuthResponse(server, client, await logIn(page), oauth.expectNoState)
  const response = await oauth.authorizationCodeGrantRequest(
    server,
    client,
    oauth.None(),
    back,
    redirectUri,
    verifier,
    { ...insecure, additionalParameters: { resource: resource.resource } },
  )
  const tokens = await oauth.processAuthorizationCodeResponse(server, client, response)
  return tokens.access_token
}
