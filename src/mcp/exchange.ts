import type { Principal } from '../auth/principal.ts'
import type { Failure } from '../failure/failure.ts'
import type { Era } from './revisions.ts'
import type { PreparedTool } from './tool-set.ts'

/** What is known about one request so far. The steps fill it in; the error wire and the decision hook read it. */
export interface Exchange {
  readonly requestId: string
  /** Of the monotonic clock, in milliseconds. */
  readonly startedAt: number
  principal: Principal | undefined
  era: Era
  /** The revision that the request named; empty until it named one. */
  revision: string
  id: RequestId | undefined
  method: string
  tool: PreparedTool | undefined
  failure: Failure | undefined
  /** What a model read and wrote for a tool. */
  tokensIn: number | undefined
  tokensOut: number | undefined
  /** Its decision was told. */
  isTold: boolean
}

type RequestId = string | number

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by the gate of the tool server. */
    exchange: Exchange | null
  }
}

export function newExchange(requestId: string): Exchange {
  return {
    requestId,
    startedAt: performance.now(),
    principal: undefined,
    era: 'legacy',
    revision: '',
    id: undefined,
    method: '',
    tool: undefined,
    failure: undefined,
    tokensIn: undefined,
    tokensOut: undefined,
    isTold: false,
  }
}
