import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import type { Config } from '../../src/config/config-schema.ts'
import { noteSecret } from '../records/secret-search-notes.ts'
import { createLocalKey, type LocalAlgorithm, type LocalKey } from './local-key.ts'

type IssuerConfig = Config['issuers'][number]
export type Claims = Readonly<Record<string, unknown>>

/** `down` cuts the connection, `garbage` answers what is no JSON, `error` is a 500, `redirect` points elsewhere. */
export type IssuerMode = 'up' | 'down' | 'garbage' | 'error' | 'redirect' | 'endless'

export interface LocalIssuerOptions {
  readonly audience: string
  /** A path behind the origin, such as `/tenant`. */
  readonly path?: string
  readonly algorithm?: LocalAlgorithm
  /** Milliseconds since 1970. */
  readonly now?: () => number
}

/** An authorization server as far as a resource server sees it. */
export interface LocalIssuer {
  readonly issuer: string
  readonly jwt: (overrides?: Partial<IssuerConfig>) => IssuerConfig
  readonly introspecting: (cacheSeconds?: number) => IssuerConfig
  readonly key: () => LocalKey
  /** The keys of the key set; put other ones in to rotate or to take one back. */
  keys: readonly LocalKey[]
  /** A good access token, but for what is given. A claim that is undefined is left out. */
  readonly token: (claims?: Claims, header?: Claims) => string
  readonly claims: (claims?: Claims) => Claims
  /** How often each path was asked for. */
  readonly requests: Map<string, number>
  readonly count: () => number
  mode: IssuerMode
  /** The metadata; `serves` says under which paths it is found. */
  metadata: Claims
  serves: readonly string[]
  /** Keeps all answers back until the returned function is called. */
  readonly hold: () => () => void
  /** What introspection says of a token; anything else is not active. */
  readonly answers: Map<string, unknown>
  readonly questions: { readonly authorization: string | undefined; readonly body: string }[]
  readonly stop: () => Promise<void>
}

export async function startLocalIssuer(options: LocalIssuerOptions): Promise<LocalIssuer> {
  const now = options.now ?? Date.now
  const path = options.path ?? ''
  let gate: Promise<void> | undefined
  const server = createServer((request, response) => {
    void answer(request, response)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the issuer has no port')
  const origin = `http://127.0.0.1:${address.port}`
  const issuer = `${origin}${path}`
  const base = { issuer, ...usualSettings }

  const local: LocalIssuer = {
    issuer,
    jwt: (overrides = {}) => ({ ...base, validate: 'jwt', ...overrides }),
    introspecting: (cacheSeconds = 30) => ({
      ...base,
      validate: 'introspection',
      introspection: {
        url: `${issuer}/introspect`,
        clientId: 'gate way',
        clientSecret: 's:cr t/ü%',
        cacheSeconds,
      },
    }),
    key: () => {
      const [key] = local.keys
      if (key === undefined) throw new Error('the issuer has no key')
      return key
    },
    keys: [createLocalKey(options.algorithm)],
    token: (claims = {}, header = {}) => {
      const key = local.key()
      return key.token({ alg: key.algorithm, kid: key.kid, typ: 'at+jwt', ...header }, local.claims(claims))
    },
    claims: (claims = {}) => {
      const time = Math.floor(now() / 1000)
      return {
        iss: issuer,
        aud: options.audience,
        sub: 'alice',
        client_id: 'https://app.example/client.json',
        scope: 'notes:read notes:write',
        iat: time,
        exp: time + 300,
        jti: crypto.randomUUID(),
        ...claims,
      }
    },
    requests: new Map(),
    count: () => [...local.requests.values()].reduce((sum, count) => sum + count, 0),
    mode: 'up',
    metadata: { issuer, jwks_uri: `${issuer}/jwks`, introspection_endpoint: `${issuer}/introspect` },
    serves: [`/.well-known/oauth-authorization-server${path}`],
    hold: () => {
      const { promise, resolve } = Promise.withResolvers<void>()
      gate = promise
      return () => {
        gate = undefined
        resolve()
      }
    },
    answers: new Map(),
    questions: [],
    stop: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const asked = request.url ?? ''
    local.requests.set(asked, (local.requests.get(asked) ?? 0) + 1)
    const body = await text(request)
    const content = contentOf(asked, { authorization: request.headers.authorization, body })
    await gate
    respond(local.mode, response, content)
  }

  function contentOf(asked: string, question: { authorization: string | undefined; body: string }): unknown {
    if (local.serves.includes(asked)) return local.metadata
    if (asked === `${path}/jwks`) return { keys: local.keys.map((key) => key.publicJwk) }
    if (asked !== `${path}/introspect`) return undefined
    local.questions.push(question)
    const token = new URLSearchParams(question.body).get('token') ?? ''
    noteSecret('an opaque token', token)
    noteSecret('the credentials of the gateway at the issuer', question.authorization?.split(' ')[1])
    return local.answers.get(token) ?? { active: false }
  }

  return local
}

const usualSettings = {
  algorithms: ['ES256', 'RS256', 'PS256', 'EdDSA'],
  clockSkewSeconds: 30,
  scopeClaim: 'scope',
} as const satisfies Partial<IssuerConfig>

function respond(mode: IssuerMode, response: ServerResponse, content: unknown): void {
  if (mode === 'down') response.destroy()
  else if (mode === 'error') response.writeHead(500).end('{}')
  else if (mode === 'garbage') response.end('<html>')
  else if (mode === 'redirect') response.writeHead(302, { location: '/elsewhere' }).end()
  else if (mode === 'endless') response.end(`{"pad":"${'x'.repeat(1_000_000)}"}`)
  else if (content === undefined) response.writeHead(404).end('{}')
  else response.setHeader('content-type', 'application/json').end(JSON.stringify(content))
}
