import type { FastifyInstance, LightMyRequestResponse } from 'fastify'
import type { Admission } from '../../src/auth/admission.ts'
import type { Authenticator } from '../../src/auth/authenticator.ts'
import { readCredential } from '../../src/auth/credential.ts'
import type { Decision } from '../../src/auth/decision.ts'
import type { Principal } from '../../src/auth/principal.ts'
import type { Config } from '../../src/config/config-schema.ts'
import { parseConfig } from '../../src/config/parse-config.ts'
import { Failure } from '../../src/failure/failure.ts'
import type { BodyBudget } from '../../src/http/body-budget.ts'
import type { Tool } from '../../src/mcp/tool.ts'
import { mountToolServer } from '../../src/mcp/tool-server.ts'
import type { ConfiguredSource } from '../../src/mcp/tool-set.ts'
import type { ToolSource } from '../../src/mcp/tool-source.ts'
import { plainServer } from '../serving/plain-server.ts'

export const resource = 'http://127.0.0.1:8080/mcp'
export const metadata = 'http://127.0.0.1:8080/.well-known/oauth-protected-resource/mcp'

export interface ServedTools {
  readonly server: FastifyInstance
  readonly decisions: Decision[]
  readonly lines: Readonly<Record<string, unknown>>[]
  /** Posts one message as the given caller. */
  readonly post: (body: unknown, options?: PostOptions) => Promise<LightMyRequestResponse>
}

export interface PostOptions {
  /** `null` sends no token. */
  readonly token?: string | null
  readonly headers?: Readonly<Record<string, string>>
}

export interface ServedOptions {
  readonly tools?: readonly Tool[]
  readonly sources?: readonly ConfiguredSource[]
  /** The `tools` section of a configuration, as YAML in braces. */
  readonly settings?: string
  readonly pagingKeys?: readonly string[]
  /** What an answer waits for; may throw. */
  readonly recorded?: (() => Promise<void> | undefined) | undefined
  readonly admission?: Admission | undefined
  readonly bodies?: BodyBudget
  readonly silenceMs?: number
}

/** The tool server alone on the shared HTTP set-up; tokens are looked up in a table instead of verified. */
export function serveTools(options: ServedOptions = {}): ServedTools {
  const { server, lines, log } = plainServer({ bodyLimitBytes: 1_000_000 })
  const decisions: Decision[] = []
  const config = configOf(options)
  mountToolServer(server, {
    resource,
    authenticator: tokenTable,
    authorizationServers: ['https://login.example'],
    sources: options.sources ?? [{ source: fixedSource('fixed', options.tools ?? []) }],
    settings: config.tools,
    paging: config.paging,
    log,
    onDecision: (decision) => {
      decisions.push(decision)
      return options.recorded?.()
    },
    admission: options.admission,
    bodies: options.bodies,
    silenceMs: options.silenceMs,
  })
  return {
    server,
    decisions,
    lines,
    post: (body, { token = 'alice', headers = {} } = {}) =>
      server.inject({
        method: 'POST',
        url: '/mcp',
        headers: {
          accept: 'application/json, text/event-stream',
          'content-type': 'application/json',
          ...(token !== null && { authorization: `Bearer ${token}` }),
          ...headers,
        },
        payload: typeof body === 'string' ? body : JSON.stringify(body),
      }),
  }
}

export function fixedSource(name: string, tools: readonly Tool[]): ToolSource {
  return { name, tools: () => tools, onChange: () => {}, close: async () => {} }
}

function configOf({ settings = '{}', pagingKeys = [] }: ServedOptions): Config {
  return parseConfig(`tools: ${settings}\npaging: { keys: ${JSON.stringify(pagingKeys)} }`, {
    file: 'test.yaml',
    env: {},
  })
}

/** Any token that begins with a letter names its subject; `name+scope+scope` holds scopes; `~` binds it to a key. */
const tokenTable: Authenticator = {
  authenticate: (request) => {
    const { token } = readCredential(request)
    const known = principals.get(token)
    if (known !== undefined) return known
    if (token.startsWith('bad'))
      throw new Failure('unauthenticated', 'the token is not good', { reason: 'invalid_token' })
    if (token.startsWith('down')) throw new Failure('unavailable', 'the issuer does not answer')
    const principal = principalOf(token)
    principals.set(token, principal)
    return Promise.resolve(principal)
  },
}

const principals = new Map<string, Principal>()

function principalOf(token: string): Principal {
  const [subject = '', ...scopes] = token.split('+')
  return {
    issuer: 'https://login.example',
    subject,
    clientId: 'https://client.example/metadata.json',
    scopes: new Set(scopes.map((scope) => scope.replaceAll('.', ':'))),
    expiresAt: 4_102_444_800,
    credential: { kind: 'jwt', id: token },
    dpopKeyThumbprint: subject.endsWith('~') ? 'thumbprint' : undefined,
  }
}
