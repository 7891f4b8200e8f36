import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import type { Redirect } from '../../src/client/oauth/redirect.ts'

/** What arrived at one of the two servers. */
export interface Arrival {
  readonly method: string
  readonly url: URL
  readonly authorization: string | undefined
  readonly body: string
}

export interface Answer {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
}

/** An issuer and a resource on ports of their own, honest unless a test changes what they say. */
export interface ScriptedServers extends AsyncDisposable {
  readonly issuer: string
  readonly resource: string
  readonly arrivals: Arrival[]
  /** Where a request of this path goes, in place of the honest answer. */
  readonly script: Map<string, (arrival: Arrival) => Answer>
  /** Fields that replace those of a document. */
  readonly issuerDocument: Record<string, unknown>
  readonly resourceDocument: Record<string, unknown>
  /** What a call needs; what a token that was issued has. */
  needs: readonly string[]
  grants: (asked: readonly string[]) => readonly string[]
  readonly tokens: Map<string, readonly string[]>
  /** Seconds that a token is good for. */
  expiresIn: number
  /** Refresh tokens that may still be used, and what they are for. */
  readonly refreshTokens: Map<string, readonly string[]>
  readonly at: (path: string) => readonly Arrival[]
}

export async function startScriptedServers(): Promise<ScriptedServers> {
  const [issuerHttp, resourceHttp] = [await listening(), await listening()]
  const issuer = addressOf(issuerHttp)
  const origin = addressOf(resourceHttp)
  const servers: ScriptedServers = {
    issuer,
    resource: `${origin}/mcp`,
    arrivals: [],
    script: new Map(),
    issuerDocument: {
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      registration_endpoint: `${issuer}/register`,
      revocation_endpoint: `${issuer}/revoke`,
      code_challenge_methods_supported: ['S256'],
      authorization_response_iss_parameter_supported: true,
      token_endpoint_auth_methods_supported: ['none'],
    },
    resourceDocument: {
      resource: `${origin}/mcp`,
      authorization_servers: [issuer],
      scopes_supported: ['read', 'write'],
    },
    needs: ['read'],
    grants: (asked) => asked,
    tokens: new Map(),
    expiresIn: 3600,
    refreshTokens: new Map(),
    at: (path) => servers.arrivals.filter(({ url }) => url.pathname === path),
    [Symbol.asyncDispose]: async () => {
      for (const server of [issuerHttp, resourceHttp]) {
        server.closeAllConnections()
        server.close()
        await once(server, 'close')
      }
    },
  }
  serve(issuerHttp, servers, issuerAnswer)
  serve(resourceHttp, servers, resourceAnswer)
  return servers
}

/** A person who does as `answer` says; by default they grant what they are asked. */
export function scriptedPerson(
  answer: (page: URL, honest: URL) => URL | Promise<URL> = (_page, honest) => honest,
): Redirect & { readonly pages: URL[] } {
  const pages: URL[] = []
  return {
    pages,
    kind: 'native',
    open: async () => ({
      redirectUri: 'http://127.0.0.1:1/callback',
      waitForAnswer: async (page) => {
        pages.push(page)
        const honest = new URL('http://127.0.0.1:1/callback')
        honest.searchParams.set('code', page.searchParams.get('scope') ?? 'none')
        honest.searchParams.set('state', page.searchParams.get('state') ?? '')
        honest.searchParams.set('iss', page.origin)
        return answer(page, honest)
      },
      close: async () => {},
    }),
  }
}

type Role = (arrival: Arrival, servers: ScriptedServers) => Answer

function serve(server: Server, servers: ScriptedServers, role: Role): void {
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const arrival: Arrival = {
      method: request.method ?? '',
      url: new URL(request.url ?? '', addressOf(server)),
      authorization: request.headers.authorization,
      body: await text(request),
    }
    servers.arrivals.push(arrival)
    const scripted = servers.script.get(arrival.url.pathname)
    const { status = 200, headers, body } = scripted ? scripted(arrival) : role(arrival, servers)
    response.writeHead(status, { 'content-type': 'application/json', ...headers })
    response.end(body === undefined ? '' : JSON.stringify(body))
  }
  server.on('request', (request, response) => void handle(request, response))
}

const issuerAnswer: Role = ({ url, body }, servers) => {
  const form = new URLSearchParams(body)
  switch (url.pathname) {
    case '/.well-known/oauth-authorization-server':
      return { body: servers.issuerDocument }
    case '/register':
      return { status: 201, body: { ...JSON.parse(body), client_id: 'registered-client' } }
    case '/token':
      return tokenAnswer(form, servers)
    case '/revoke':
      servers.tokens.delete(form.get('token') ?? '')
      servers.refreshTokens.delete(form.get('token') ?? '')
      return {}
    default:
      return { status: 404 }
  }
}

/** What the token endpoint answers, for a script that answers only some requests in its place. */
export function honestToken({ body }: Arrival, servers: ScriptedServers): Answer {
  return tokenAnswer(new URLSearchParams(body), servers)
}

/** A refresh token is good once; used again, it ends everything, as our own authority does. */
function tokenAnswer(form: URLSearchParams, servers: ScriptedServers): Answer {
  const used = form.get('refresh_token')
  const isRefresh = form.get('grant_type') === 'refresh_token'
  const granted = isRefresh
    ? servers.refreshTokens.get(used ?? '')
    : servers.grants((form.get('code') ?? '').split(' '))
  if (granted === undefined) {
    if (used?.startsWith('refresh-')) {
      servers.refreshTokens.clear()
      servers.tokens.clear()
    }
    return { status: 400, body: { error: 'invalid_grant', error_description: 'used before' } }
  }
  servers.refreshTokens.delete(used ?? '')
  const [access, refresh] = [`access-${crypto.randomUUID()}`, `refresh-${crypto.randomUUID()}`]
  servers.tokens.set(access, granted)
  servers.refreshTokens.set(refresh, granted)
  return {
    body: {
      access_token: access,
      refresh_token: refresh,
      token_type: 'Bearer',
      expires_in: servers.expiresIn,
      scope: granted.join(' '),
    },
  }
}

const resourceAnswer: Role = ({ url, authorization }, servers) => {
  const metadata = new URL('/.well-known/oauth-protected-resource/mcp', url).href
  if (url.href === metadata) return { body: servers.resourceDocument }
  if (url.pathname.startsWith('/.well-known/')) return { status: 404 }
  const has = servers.tokens.get(authorization?.replace('Bearer ', '') ?? '')
  const challenge = (rest: string): Answer['headers'] => ({
    'www-authenticate': `Bearer ${rest}resource_metadata="${metadata}", scope="${servers.needs.join(' ')}"`,
  })
  if (has === undefined) return { status: 401, headers: challenge('') ?? {} }
  if (!servers.needs.every((scope) => has.includes(scope)))
    return { status: 403, headers: challenge('error="insufficient_scope", ') ?? {} }
  return { body: { scopes: has } }
}

async function listening(): Promise<Server> {
  const server = createServer()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return server
}

function addressOf(server: Server): string {
  const address = server.address()
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
}
