import type { FastifyInstance } from 'fastify'
import type { Config } from '../config/config-schema.ts'
import { createHttpServer } from '../http/http-server.ts'
import { createOriginGuard } from '../http/origin-guard.ts'
import type { OriginSettings } from '../http/origin-policy.ts'
import { createReadiness } from '../http/readiness.ts'
import { createShutdown } from '../http/shutdown.ts'
import type { Log } from '../log/log.ts'
import type { Store } from '../store/store.ts'
import { refuseFixedChanges } from './reload.ts'
import { mountRoutes } from './routes.ts'
import { unservedSettings } from './unserved.ts'

export interface GatewayOptions {
  readonly config: Config
  /** Closed by `stop`. */
  readonly store: Store
  readonly log: Log
}

export interface Gateway extends FastifyInstance {
  /** Finishes what is in flight, then closes the store; may be called again. */
  readonly stop: () => Promise<void>
  readonly isStopping: () => boolean
  /** Swaps what may change while serving and names it; refuses as a whole when anything else differs. */
  readonly reload: (next: Config) => readonly string[]
}

/** The gateway, ready for `inject` and for `listen`. */
export function createGateway({ config, store, log }: GatewayOptions): Gateway {
  const guard = createOriginGuard(originSettings(config))
  const server = createHttpServer({ ...config.server, log, guard })
  const shutdown = createShutdown(server, {
    graceSeconds: config.server.shutdownSeconds,
    log,
    release: () => store.close(),
  })
  const readiness = createReadiness({ checks: { store: () => store.ping() }, log })
  mountRoutes(server, { readiness, isStopping: shutdown.isStopping })
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

function originSettings({ server }: Config): OriginSettings {
  const { host, publicUrl, allowedHosts, allowedOrigins } = server
  return { listenHost: host, publicUrl, allowedHosts, allowedOrigins }
}

function warnOfUnserved(config: Config, log: Log): void {
  const settings = unservedSettings(config)
  if (settings.length > 0)
    log.warn({ settings }, 'this version reads these settings but does not act on them yet')
}
