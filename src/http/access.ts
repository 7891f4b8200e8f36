import type { FastifyInstance, RouteOptions } from 'fastify'
import { Failure } from '../failure/failure.ts'

/** What a caller must show. A surface that asks for a credential adds its kind here. */
type Access =
  | {
      /** No credential; the text says why that is right. */
      readonly open: string
    }
  | {
      /** An access token for this resource. */
      readonly bearer: string
    }
  | {
      /** One of the three credentials of the model API, for this resource. */
      readonly caller: string
    }

declare module 'fastify' {
  interface FastifyContextConfig {
    readonly access: Access
  }
}

/** Default deny: a route that does not say who may call it does not start. */
export function declareAccess(server: FastifyInstance): void {
  server.addHook('onRoute', requireAccess)
}

function requireAccess(route: RouteOptions): void {
  const access = route.config?.access
  if (access !== undefined && Object.values(access).some((text) => text.trim() !== '')) return
  throw new Failure(
    'misconfigured',
    `${String(route.method)} ${route.url} does not declare its access; give it config.access, such as { open: 'why' }`,
  )
}
