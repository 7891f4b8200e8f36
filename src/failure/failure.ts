/** What kind of thing went wrong; each protocol's `errors.ts` turns a code into its own bytes. */
export type FailureCode =
  | 'invalid-request'
  | 'unauthenticated'
  | 'forbidden'
  | 'not-found'
  | 'not-allowed'
  | 'conflict'
  | 'too-large'
  | 'unsupported-media'
  | 'misdirected'
  | 'limit-exceeded'
  | 'unavailable'
  | 'timeout'
  | 'misconfigured'
  | 'internal'

export interface FailureOptions {
  /** For our log only; it never leaves the process. */
  readonly cause?: unknown
  /** A stable word for machines, such as `cursor_expired`. */
  readonly reason?: string
  /** The request field or configuration key at fault. */
  readonly field?: string
  /** What the caller can do: begin the list again, or mend the request. */
  readonly recovery?: 'restart' | 'fix_request'
  /** When it is worth trying again. */
  readonly retryAfterSeconds?: number
}

/** The one error type. `message` is for the caller: what is wrong and what would be right, never a secret. */
export class Failure extends Error {
  override readonly name = 'Failure'
  readonly code: FailureCode
  readonly reason: string | undefined
  readonly field: string | undefined
  readonly recovery: 'restart' | 'fix_request' | undefined
  readonly retryAfterSeconds: number | undefined

  constructor(code: FailureCode, message: string, options: FailureOptions = {}) {
    super(message, 'cause' in options ? { cause: options.cause } : undefined)
    this.code = code
    this.reason = options.reason
    this.field = options.field
    this.recovery = options.recovery
    this.retryAfterSeconds = options.retryAfterSeconds
  }
}
