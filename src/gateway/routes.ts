import type { FastifyInstance } from 'fastify'
import { type AdminApiOptions, mountAdminApi } from '../admin/admin-api.ts'
import { liveness, readinessHandler } from '../http/health.ts'
import type { Readiness } from '../http/readiness.ts'
import { mountToolServer, type ToolServerOptions } from '../mcp/tool-server.ts'
import { type ModelApiOptions, mountModelApi } from '../model-api/model-api.ts'

export interface RouteParts {
  readonly readiness: Readiness
  readonly isStopping: () => boolean
  /** Absent where no issuer is configured: then there is nobody whose token could be taken. */
  readonly toolServer: ToolServerOptions | undefined
  /** Absent where no model is configured. */
  readonly modelApi: ModelApiOptions | undefined
  /** Absent where no issuer is configured. */
  readonly adminApi: AdminApiOptions | undefined
}

/** Every route of the gateway, on this one page. */
export function mountRoutes(server: FastifyInstance, parts: RouteParts): void {
  const { readiness, isStopping, toolServer, modelApi, adminApi } = parts
  const probe = {
    config: { access: { open: 'a probe carries no credential' }, anyHost: true, isProbe: true },
  } as const
  server.get('/healthz', probe, liveness)
  server.get('/readyz', probe, readinessHandler(readiness, isStopping))
  // POST /mcp, and GET /.well-known/oauth-protected-resource with and without /mcp behind it.
  if (toolServer !== undefined) mountToolServer(server, toolServer)
  // /v1beta, /v1, /v1alpha, /v1beta1, and the metadata of /v1beta.
  if (modelApi !== undefined) mountModelApi(server, modelApi)
  // /api/v1, its OpenAPI document, and the metadata of /api.
  if (adminApi !== undefined) mountAdminApi(server, adminApi)
}
