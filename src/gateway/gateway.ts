import type { FastifyInstance } from 'fastify'
import type { AdminApiOptions } from '../admin/admin-api.ts'
import type { Admission } from '../auth/admission.ts'
import type { DecisionHook } from '../auth/decision.ts'
import type { Config } from '../config/config-schema.ts'
import { createBodyBudget } from '../http/body-budget.ts'
import { createHttpServer } from '../http/http-server.ts'
import { createOriginGuard } from '../http/origin-guard.ts'
import type { OriginSettings } from '../http/origin-policy.ts'
import { createReadiness } from '../http/readiness.ts'
import { createShutdown } from '../http/shutdown.ts'
import type { Log } from '../log/log.ts'
import type { ToolServerOptions } from '../mcp/tool-server.ts'
import type { ConfiguredSource } from '../mcp/tool-set.ts'
import type { ModelApiOptions } from '../model-api/model-api.ts'
import type { Store } from '../store/store.ts'
import { type Authenticators, openAuthenticators, resourceOf } from './authenticators.ts'
import type { ModelSurface } from './model-surface.ts'
import { createPageTokens } from './page-tokens.ts'
import { refuseFixedChanges } from './reload.ts'
import { mountRoutes } from './routes.ts'
import { unservedSettings } from './unserved.ts'

export interface GatewayOptions {
  readonly config: Config
  /** Closed by `stop`. */
  readonly store: Store
  readonly log: Log
  /** The tools to serve; closed by `stop`. */
  readonly toolSources?: readonly ConfiguredSource[]
  /** The models to serve; closed by `stop`. */
  readonly modelSurface?: ModelSurface | undefined
  /** Where decisions are recorded; closed by `stop` when nobody can be told any more. */
  readonly records?: { readonly close: () => Promise<void> } | undefined
  /** What counts the calls; closed by `stop`. */
  readonly limits?: { readonly close: () => Promise<void> } | undefined
  /** Called once for each request, as soon as its answer is known; what it cannot record is not answered. */
  readonly onDecision?: DecisionHook | undefined
  /** Whether a caller may do now what it may do; always, where there is none. */
  readonly admission?: Admission | undefined
}

export interface Gateway extends FastifyInstance {
  /** Finishes what is in flight, then closes the store; may be called again. */
  readonly stop: () => Promise<void>
  readonly isStopping: () => boolean
  /** Swaps what may change while serving and names it; refuses as a whole when anything else differs. */
  readonly reload: (next: Config) => readonly string[]
}

/** The gateway of the parts it is given, and no others, ready for `inject` and for `listen`; `startGateway` opens them all. */
export function createGateway(options: GatewayOptions): Gateway {
  const { config, store, log } = options
  const guard = createOriginGuard(originSettings(config))
  const server = createHttpServer({ ...config.server, log, guard })
  const authenticators = openAuthenticators(options)
  const shutdown = createShutdown(server, {
    graceSeconds: config.server.shutdownSeconds,
    log,
    release: () => release(options, authenticators),
  })
  const hasKeys = config.issuers.some(({ validate }) => validate === 'jwt')
  const checks = { store: () => store.ping(), ...(hasKeys && { keys: authenticators.checkKeys }) }
  const readiness = createReadiness({ checks, log })
  // The keys are read before a caller has to wait for them; that they are not there yet is no news at this time.
  server.addHook('onListen', (done) => {
    authenticators.checkKeys().catch(() => undefined)
    done()
  })
  const bodies = createBodyBudget({ bytes: bodyBudgetOf(options), log })
  const toolServer = toolServerOf(options, authenticators)
  const modelApi = modelApiOf(options, authenticators)
  mountRoutes(server, {
    readiness,
    isStopping: shutdown.isStopping,
    toolServer: toolServer && { ...toolServer, bodies },
    modelApi: modelApi && { ...modelApi, bodies },
    adminApi: adminApiOf(options, authenticators),
  })
  warnOfUnserved(config, log)

  let current = config
  return Object.assign(server, {
    stop: shutdown.stop,
    isStopping: shutdown.isStopping,
    reload: (next: Config): readonly string[] => {
      const changed = refuseFixedChanges(current, next)
      guard.replace(originSettings(next))
      log.level = next.log.level
      // A child made at the start keeps the level it was born with.
      server.log.level = next.log.level
      current = next
      return changed
    },
  })
}

function toolServerOf(options: GatewayOptions, { tools }: Authenticators): ToolServerOptions | undefined {
  const { config, log, admission, onDecision, toolSources = [] } = options
  if (config.issuers.length === 0) {
    if (config.tools.sources.length > 0)
      log.warn('tools are configured but not served: no issuer is, so no token could be accepted')
    return undefined
  }
  return {
    resource: resourceOf(config, 'mcp'),
    authenticator: tools,
    authorizationServers: config.issuers.map(({ issuer }) => issuer),
    sources: toolSources,
    settings: config.tools,
    paging: config.paging,
    log,
    admission,
    onDecision,
  }
}

/** Of any caller the largest body must find room, and one has half of it. */
function bodyBudgetOf({ config: { server }, modelSurface, log }: GatewayOptions): number {
  const least = 2 * (modelSurface?.options.bodyLimit ?? server.bodyLimitBytes)
  if (server.bodyBudgetBytes >= least) return server.bodyBudgetBytes
  log.warn(
    `server.bodyBudgetBytes is ${server.bodyBudgetBytes}, but ${least} bytes of bodies may be held: twice the largest body`,
  )
  return least
}

function modelApiOf(
  options: GatewayOptions,
  { models }: Authenticators,
): Omit<ModelApiOptions, 'bodies'> | undefined {
  const { modelSurface, admission, onDecision } = options
  return modelSurface && { ...modelSurface.options, authenticator: models, admission, onDecision }
}

function adminApiOf(options: GatewayOptions, { api }: Authenticators): AdminApiOptions | undefined {
  const { config, store, log, admission, onDecision } = options
  if (config.issuers.length === 0) return undefined
  return {
    resource: resourceOf(config, 'api'),
    publicUrl: config.server.publicUrl,
    authenticator: api,
    authorizationServers: config.issuers.map(({ issuer }) => issuer),
    store,
    tokens: createPageTokens(config.paging),
    log,
    admission,
    onDecision,
  }
}

/** Tools and tokens first: they may still write to the store. */
async function release(
  { store, toolSources = [], modelSurface, records, limits }: GatewayOptions,
  authenticators: Authenticators,
): Promise<void> {
  await Promise.allSettled([
    authenticators.close(),
    modelSurface?.close(),
    ...toolSources.map(({ source }) => source.close()),
  ])
  await Promise.allSettled([records?.close(), limits?.close()])
  await store.close()
}

function originSettings({ server }: Config): OriginSettings {
  const { host, publicUrl, allowedHosts, allowedOrigins } = server
  return { listenHost: host, publicUrl, allowedHosts, allowedOrigins }
}

function warnOfUnserved(config: Config, log: Log): void {
  const settings = unservedSettings(config)
  if (settings.length > 0)
    log.warn({ settings }, 'this version reads these settings but does not act on them yet')
}
