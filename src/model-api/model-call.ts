import type { Caller } from '../auth/caller.ts'
import type { CallerAddress } from '../config/caller-address.ts'
import type { Failure } from '../failure/failure.ts'
import type { FailedCall, Framing } from './errors-method.ts'
import type { ServedModel } from './model-table.ts'

/** What is known about one request so far. The steps fill it in; the error wire and the decision hook read it. */
export interface ModelCall extends FailedCall {
  readonly requestId: string
  /** Of the monotonic clock, in milliseconds. */
  readonly startedAt: number
  readonly version: string
  readonly operation: string
  readonly resource: string
  /** The model or other thing as the path names it. */
  readonly name: string
  readonly framing: Framing
  readonly from: () => CallerAddress
  /** Any of these is enough. */
  readonly scopes: readonly string[]
  caller: Caller | undefined
  /** The one that a call is for, if it is served. */
  model: ServedModel | undefined
  failure: Failure | undefined
  tokensIn: number | undefined
  tokensOut: number | undefined
  /** What limits charge in place of both, where the model did not say what it used. */
  tokensGuessed: number | undefined
  /** Its decision was told. */
  isTold: boolean
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by the gate of the model API. */
    modelCall: ModelCall | null
  }
}
