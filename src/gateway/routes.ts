import type { FastifyInstance } from 'fastify'
import { liveness, readinessHandler } from '../http/health.ts'
import type { Readiness } from '../http/readiness.ts'

export interface RouteParts {
  readonly readiness: Readiness
  readonly isStopping: () => boolean
}

/** Every route of the gateway, on this one page. */
export function mountRoutes(server: FastifyInstance, { readiness, isStopping }: RouteParts): void {
  const probe = {
    config: { access: { open: 'a probe carries no credential' }, anyHost: true, isProbe: true },
  } as const
  server.get('/healthz', probe, liveness)
  server.get('/readyz', probe, readinessHandler(readiness, isStopping))
}
