import { randomBytes } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import type { Admission } from '../auth/admission.ts'
import type { Authenticator } from '../auth/authenticator.ts'
import type { DecisionHook } from '../auth/decision.ts'
import { dpopAlgorithms } from '../auth/dpop-proof.ts'
import { type CompiledScopes, compileScopes } from '../auth/scopes.ts'
import type { Config } from '../config/config-schema.ts'
import { Failure } from '../failure/failure.ts'
import type { BodyBudget } from '../http/body-budget.ts'
import { useErrorRenderer } from '../http/error-boundary.ts'
import { metadataUrl, mountResourceMetadata, wellKnownResource } from '../http/resource-metadata.ts'
import type { Log } from '../log/log.ts'
import { createRareWarning } from '../log/rare-warning.ts'
import { createAnswerer } from './answer.ts'
import { createCallers } from './callers.ts'
import { createDeadlines } from './deadlines.ts'
import { createReporter } from './decision.ts'
import { createEndpoint } from './endpoint.ts'
import { createErrorRenderer } from './errors.ts'
import { createGate } from './gate.ts'
import { createToolList } from './list-tools.ts'
import { createToolRunner } from './run-tool.ts'
import { type ConfiguredSource, createToolSet, type ToolSet } from './tool-set.ts'

export interface ToolServerOptions {
  /** The identifier of this resource, which is the audience of its tokens: `<publicUrl>/mcp`. */
  readonly resource: string
  readonly authenticator: Authenticator
  /** The issuers that clients may go to; at least one. */
  readonly authorizationServers: readonly string[]
  readonly sources: readonly ConfiguredSource[]
  readonly settings: Config['tools']
  readonly paging: Config['paging']
  readonly log: Log
  /** Called once for each request, as soon as its answer is known; what it cannot record is not answered. */
  readonly onDecision?: DecisionHook | undefined
  /** Whether a caller may do now what it may do; always, where there is none. */
  readonly admission?: Admission | undefined
  /** Where the bodies under way are counted; there is room for all without it. */
  readonly bodies?: BodyBudget | undefined
  /** How long a caller that reads streams hears nothing; ten seconds unless told. */
  readonly silenceMs?: number | undefined
}

/** `POST /mcp`, and the metadata that tells a client where to get a token for it. */
export function mountToolServer(server: FastifyInstance, options: ToolServerOptions): void {
  const scopes = compileScopes({ includes: options.settings.scopeIncludes })
  const tools = createToolSet({ sources: options.sources, scopes, log: options.log })
  mountResourceMetadata(server, {
    ...options,
    name: 'Postern tool server',
    documentation: 'https://modelcontextprotocol.io/specification/2026-07-28',
    scopes: tools.scopes,
    extra: () => (tools.requiresDpop() ? { dpop_signing_alg_values_supported: dpopAlgorithms } : {}),
    // Clients try both.
    alsoAt: [wellKnownResource, `${wellKnownResource}/mcp`],
  })
  server.register(
    (scope, _settings, done) => {
      mountEndpoint(scope, options, { scopes, tools })
      done()
    },
    { prefix: '/mcp' },
  )
}

interface Parts {
  readonly scopes: CompiledScopes
  readonly tools: ToolSet
}

function mountEndpoint(scope: FastifyInstance, options: ToolServerOptions, { scopes, tools }: Parts): void {
  const { settings, resource, authenticator, admission, onDecision, log } = options
  const callers = createCallers(settings.concurrencyPerPrincipal)
  const now = (): number => performance.now()
  const report = createReporter({ onDecision, callers, warn: createRareWarning(log, now) })
  const deadlines = createDeadlines(now)
  const run = createToolRunner({ ...settings, callers, deadlines, now, log })
  const answer = createAnswerer({
    tools,
    scopes,
    callers,
    run,
    report,
    admission,
    silence: { deadlines, now, afterMs: options.silenceMs ?? defaultSilenceMs },
    list: createToolList(listOptions(options, { scopes, tools })),
  })
  const initialScopes = (): readonly string[] =>
    settings.initialScopes.length > 0 ? settings.initialScopes : tools.scopes()
  useErrorRenderer(
    scope,
    createErrorRenderer({ resourceMetadata: metadataUrl(resource), initialScopes, report }),
  )
  scope.decorateRequest('exchange', null)
  scope.post(
    '',
    {
      config: { access: { bearer: resource } },
      onRequest: createEndpoint({
        gate: createGate({ authenticator, resource, tools, scopes, admission }),
        answer,
        bodyLimit: scope.initialConfig.bodyLimit ?? defaultBodyLimit,
        bodies: options.bodies,
      }),
    },
    neverReached,
  )
}

/** The endpoint answers from its hook, or refuses there. */
function neverReached(): never {
  throw new Failure('internal', 'a request came past the gate')
}

/** Proxies commonly wait for a minute, some for less. */
const defaultSilenceMs = 10_000

/** That of Fastify, for a server that was not given one. */
const defaultBodyLimit = 1_048_576

function listOptions(
  { settings, paging }: ToolServerOptions,
  parts: Parts,
): Parameters<typeof createToolList>[0] {
  return {
    ...parts,
    pageSize: settings.pageSize,
    onlyCallable: settings.listOnlyCallable,
    // Cursors of a server without configured keys work until it stops.
    secrets: paging.keys.length > 0 ? paging.keys : [randomBytes(32).toString('base64url')],
    ttlSeconds: paging.ttlHours * 3600,
  }
}
