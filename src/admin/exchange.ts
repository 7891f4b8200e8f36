import type { Principal } from '../auth/principal.ts'
import type { Failure } from '../failure/failure.ts'
import type { Operation, Owner } from './operation.ts'

/** What is known of a request under way. */
export interface AdminExchange {
  readonly operation: Operation
  /** As `performance.now()`. */
  readonly startedAt: number
  readonly requestId: string
  /** The id of what the request is about: `{id}`, `{id}/{kid}`, or that of what it made. */
  target: string | undefined
  principal: Principal | undefined
  owner: Owner | undefined
  failure: Failure | undefined
  isTold: boolean
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by the gate of the administration API. */
    adminExchange: AdminExchange | null
  }
}
