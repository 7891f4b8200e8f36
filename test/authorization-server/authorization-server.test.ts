import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createRemoteJWKSet, jwtVerify } from 'jose'
import * as oauth from 'oauth4webapi'
import { startAuthorizationServer } from './authorization-server.ts'
import { logIn } from './log-in.ts'
import { introspectionClient, publicClientId, redirectUri } from './settings.ts'

const signed = 'http://127.0.0.1:39301/mcp'
const opaque = 'http://127.0.0.1:39302/mcp'
const server = await startAuthorizationServer({
  resources: { [signed]: 'jwt', [opaque]: 'opaque' },
  scopes: ['notes:read', 'notes:write'],
})
after(() => server.stop())
const insecure = { [oauth.allowInsecureRequests]: true }
const issuer = new URL(server.issuer)
const metadata = await oauth.processDiscoveryResponse(
  issuer,
  await oauth.discoveryRequest(issuer, { ...insecure, algorithm: 'oauth2' }),
)

async function tokensFor(
  resource: string,
  clientId: string = publicClientId,
): Promise<oauth.TokenEndpointResponse> {
  const verifier = oauth.generateRandomCodeVerifier()
  const ask = new URL(metadata.authorization_endpoint ?? '')
  ask.search = new URLSearchParams({
    response_type: 'code',
    client_id: clientId,
    redirect_uri: redirectUri,
    scope: 'notes:read offline_access',
    prompt: 'consent',
    resource,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  }).toString()
  const client = { client_id: clientId }
  const answer = oauth.validateAuthResponse(metadata, client, await logIn(ask), oauth.expectNoState)
  const response = await oauth.authorizationCodeGrantRequest(
    metadata,
    client,
    oauth.None(),
    answer,
    redirectUri,
    verifier,
    { ...insecure, additionalParameters: { resource } },
  )
  return oauth.processAuthorizationCodeResponse(metadata, client, response)
}

test('a log-in gives a signed token for the resource, and a refresh token that gives another', async () => {
  const tokens = await tokensFor(signed)
  const keys = createRemoteJWKSet(new URL(metadata.jwks_uri ?? ''))
  const { payload, protectedHeader } = await jwtVerify(tokens.access_token, keys, {
    audience: signed,
    issuer: server.issuer,
  })
  assert.deepEqual([protectedHeader.alg, protectedHeader.typ], ['ES256', 'at+jwt'])
  assert.deepEqual([payload.sub, payload.scope], ['ada', 'notes:read'])
  const client = { client_id: publicClientId }
  const refreshed = await oauth.processRefreshTokenResponse(
    metadata,
    client,
    await oauth.refreshTokenGrantRequest(
      metadata,
      client,
      oauth.None(),
      tokens.refresh_token ?? '',
      insecure,
    ),
  )
  assert.notEqual(refreshed.access_token, tokens.access_token)
})

test('the token for the other resource is opaque, and introspection tells its audience', async () => {
  const { access_token } = await tokensFor(opaque)
  assert.equal(access_token.includes('.'), false)
  const client = { client_id: introspectionClient.id }
  const authentication = oauth.ClientSecretBasic(introspectionClient.secret)
  const answer = await oauth.processIntrospectionResponse(
    metadata,
    client,
    await oauth.introspectionRequest(metadata, client, authentication, access_token, insecure),
  )
  assert.deepEqual([answer.active, answer.aud, answer.scope], [true, opaque, 'notes:read'])
})

test('a client that is known only by the https URL of its metadata document gets a token', async () => {
  const tokens = await tokensFor(signed, server.clientDocumentUrl)
  const claims: { client_id?: string } = JSON.parse(
    Buffer.from(tokens.access_token.split('.')[1] ?? '', 'base64url').toString(),
  )
  assert.equal(claims.client_id, server.clientDocumentUrl)
})

test('a program gets a token without a person', async () => {
  assert.equal((await server.machineToken(signed, ['notes:write'])).split('.').length, 3)
})

test('no token without PKCE, and none for a resource that is not known', async () => {
  const refused = async (change: Readonly<Record<string, string>>): Promise<string> => {
    const ask = new URL(metadata.authorization_endpoint ?? '')
    const challenge = await oauth.calculatePKCECodeChallenge('x'.repeat(43))
    ask.search = new URLSearchParams({
      response_type: 'code',
      client_id: publicClientId,
      redirect_uri: redirectUri,
      resource: signed,
      ...change,
      ...(change.resource === undefined ? {} : { code_challenge: challenge, code_challenge_method: 'S256' }),
    }).toString()
    return (await logIn(ask)).searchParams.get('error') ?? 'none'
  }
  assert.equal(await refused({}), 'invalid_request')
  assert.equal(await refused({ resource: 'http://127.0.0.1:1/mcp' }), 'invalid_target')
})
