import * as oauth from 'oauth4webapi'
import { redirectUri } from '../authorization-server/settings.ts'
import { noteSecret, noteSecretsIn } from '../records/secret-search-notes.ts'

/** A client by the standards alone: a generic OAuth library and `fetch`, and nothing that knows MCP. */
export interface PlainClient {
  /** What it found out about the authority. */
  readonly server: oauth.AuthorizationServer
  /** Where to send a person, and what to remember until they are back. */
  readonly ask: (scope: string, changes?: Readonly<Record<string, string>>) => Promise<Asked>
  readonly redeem: (
    asked: Asked,
    callback: URL,
    changes?: Readonly<Record<string, string>>,
  ) => Promise<oauth.TokenEndpointResponse>
  readonly refresh: (refreshToken: string) => Promise<oauth.TokenEndpointResponse>
  readonly revoke: (token: string) => Promise<void>
}

export interface Asked {
  readonly page: URL
  readonly state: string
  readonly verifier: string
}

const insecure = { [oauth.allowInsecureRequests]: true }

/** Begins where any client does: with a call that is refused. */
export async function discover(url: string, clientId: string): Promise<PlainClient> {
  const refused = await callTool(url, undefined)
  const [, metadata = ''] = /resource_metadata="([^"]+)"/.exec(challengeOf(refused)) ?? []
  const identifier = new URL(url)
  const found = await oauth.resourceDiscoveryRequest(identifier, insecure)
  if (found.url !== metadata) throw new Error(`the challenge names ${metadata}, not ${found.url}`)
  const { resource, authorization_servers } = await oauth.processResourceDiscoveryResponse(identifier, found)
  const issuer = new URL(authorization_servers?.[0] ?? '')
  const answer = await oauth.discoveryRequest(issuer, { ...insecure, algorithm: 'oauth2' })
  const server = await oauth.processDiscoveryResponse(issuer, answer)
  const client = { client_id: clientId }
  const options = { ...insecure, additionalParameters: { resource } }
  return {
    server,
    ask: (scope, changes = {}) => ask(server, { client_id: clientId, scope, resource, ...changes }),
    redeem: async ({ state, verifier }, callback, changes = {}) => {
      const back = oauth.validateAuthResponse(server, client, callback, state)
      const request = oauth.authorizationCodeGrantRequest
      const sent = await request(server, client, oauth.None(), back, redirectUri, verifier, {
        ...insecure,
        additionalParameters: { resource, ...changes },
      })
      noteSecret('an authorization code', callback.searchParams.get('code'))
      noteSecret('a code verifier', verifier)
      return noted(await oauth.processAuthorizationCodeResponse(server, client, sent))
    },
    refresh: async (token) => {
      const sent = await oauth.refreshTokenGrantRequest(server, client, oauth.None(), token, options)
      return noted(await oauth.processRefreshTokenResponse(server, client, sent))
    },
    revoke: async (token) => {
      const sent = await oauth.revocationRequest(server, client, oauth.None(), token, insecure)
      await oauth.processRevocationResponse(sent)
    },
  }
}

function noted<Answer>(answer: Answer): Answer {
  noteSecretsIn(answer)
  return answer
}

async function ask(
  server: oauth.AuthorizationServer,
  parameters: Readonly<Record<string, string>>,
): Promise<Asked> {
  const verifier = oauth.generateRandomCodeVerifier()
  const state = oauth.generateRandomState()
  const page = new URL(server.authorization_endpoint ?? '')
  page.search = new URLSearchParams({
    response_type: 'code',
    redirect_uri: redirectUri,
    state,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    ...parameters,
  }).toString()
  return { page, state, verifier }
}

export async function callTool(
  url: string,
  token: string | undefined,
  tool: 'read_notes' | 'add_note' = 'read_notes',
): Promise<Response> {
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

export function challengeOf(response: Response): string {
  return response.headers.get('www-authenticate') ?? ''
}
