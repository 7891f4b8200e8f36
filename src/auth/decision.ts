import { Failure } from '../failure/failure.ts'
import type { Principal } from './principal.ts'

/** One decision of a gate, with all that an audit asks for. */
export interface Decision {
  /** Microseconds since 1970, when the answer was known. */
  readonly time: number
  readonly surface: 'tools' | 'models' | 'api'
  /** Nobody, when the credential was missing or bad. */
  readonly principal: Principal | undefined
  /** What was asked for, such as `tools/call` or `generateContent`; empty when that was not read, cut when overlong. */
  readonly action: string
  /** The tool or model, by its own name even where an alias was called; of `api`, the id of what was read or changed. */
  readonly target: string | undefined
  readonly needed: readonly string[]
  readonly held: readonly string[]
  readonly outcome: 'allow' | 'deny'
  /** `ok`, `cancelled`, or a stable word for what was wrong. */
  readonly reason: string
  /** The HTTP status; 499 when the caller left before the answer was whole. */
  readonly status: number
  readonly durationMs: number
  readonly requestId: string
  /** The revision of the protocol that was spoken. */
  readonly revision: string
  /** What a model read and wrote, where it says so; of a stream that was cut off before, what it wrote at least. */
  readonly tokensIn?: number
  readonly tokensOut?: number
  /** An estimate that limits charge in place of both, where the model did not say what it used; no record has it. */
  readonly tokensGuessed?: number
}

/**
 * Called once for each request, as soon as its answer is known. When it returns a promise, the answer is held back until
 * that is kept; when the promise is broken, the caller gets the failure in place of the answer.
 */
export type DecisionHook = (decision: Decision) => Promise<void> | undefined

/** The same hook, which never throws; whatever goes wrong in it becomes a broken promise with a failure for the caller. */
export function guardHook(
  onDecision: DecisionHook | undefined,
  warn: (message: string, error: unknown) => void,
): DecisionHook | undefined {
  if (onDecision === undefined) return undefined
  const guard = (told: Promise<void>): Promise<void> => {
    const recorded = told.catch((cause: unknown) => {
      warn('a decision could not be recorded', cause)
      throw unrecorded(cause)
    })
    // Nobody waits when the caller has left, and a broken promise that nobody handles would end the process.
    recorded.catch(() => undefined)
    return recorded
  }
  // Decisions that are recorded together have one promise.
  let last: { readonly told: Promise<void>; readonly recorded: Promise<void> } | undefined
  return (decision) => {
    try {
      const told = onDecision(decision)
      if (!(told instanceof Promise)) return undefined
      if (told !== last?.told) last = { told, recorded: guard(told) }
      return last.recorded
    } catch (cause) {
      return guard(Promise.reject(cause))
    }
  }
}

function unrecorded(cause: unknown): Failure {
  const retryAfterSeconds = (cause instanceof Failure ? cause.retryAfterSeconds : undefined) ?? 1
  const message = 'the call could not be recorded, and without a record there is no answer; try again'
  return new Failure('unavailable', message, { cause, reason: 'record_unavailable', retryAfterSeconds })
}
