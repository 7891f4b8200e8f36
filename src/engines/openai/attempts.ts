import { Failure } from '../../failure/failure.ts'
import { type Breaker, isBreakdown } from '../breaker.ts'
import { mayBeBetter } from '../hesitate.ts'
import { longestWaitMs, type Random, retryWaitMs } from '../retry-wait.ts'
import { restingUpstream } from '../wire-failures.ts'
import { UpstreamRefusal } from './failure.ts'
import { isObject } from './values.ts'

export interface AttemptRules {
  /** How often it is tried again after the first time. */
  readonly retries: number
  readonly random?: Random | undefined
  readonly breaker: Breaker
  readonly signal: AbortSignal
}

/** Tries until an answer begins; what an attempt has given is never asked for again. */
export async function tryRepeatedly<Answer>(
  attempt: () => Promise<Answer>,
  { retries, random, breaker, signal }: AttemptRules,
): Promise<Answer> {
  let last: Failure | undefined
  for (let tried = 0; ; tried += 1) {
    signal.throwIfAborted()
    if (!breaker.mayTry()) throw last ?? restingUpstream(breaker.restSeconds())
    try {
      return await attempt()
    } catch (error) {
      signal.throwIfAborted()
      count(error, breaker)
      if (tried === retries || !isWorthAgain(error)) throw error
      last = error
      await pause(retryWaitMs(tried, askedMs(error), random), signal)
    }
  }
}

/** An upstream that refuses a request is well. */
function count(error: unknown, breaker: Breaker): void {
  const refusal = refusalIn(error)
  if (refusal === undefined || isBreakdown(refusal.statusCode)) breaker.failed()
  else breaker.succeeded()
}

function isWorthAgain(error: unknown): error is Failure {
  const refusal = refusalIn(error)
  if (refusal !== undefined) return mayBeBetter.has(refusal.statusCode) && askedMs(error) <= longestWaitMs
  if (!(error instanceof Failure)) return false
  return error.reason !== 'upstream_timeout' || isUnconnected(error.cause)
}

/** The answer to any other call that took too long is under way, and paid for. */
function isUnconnected(cause: unknown): boolean {
  return isObject(cause) && cause.code === 'UND_ERR_CONNECT_TIMEOUT'
}

function askedMs(error: unknown): number {
  return (refusalIn(error)?.retryAfterSeconds ?? 0) * 1000
}

function refusalIn(error: unknown): UpstreamRefusal | undefined {
  return error instanceof Failure && error.cause instanceof UpstreamRefusal ? error.cause : undefined
}

/** Until the time is over or the caller has gone. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const over = (): void => {
      clearTimeout(timer)
      signal.removeEventListener('abort', over)
      resolve()
    }
    const timer = setTimeout(over, ms)
    signal.addEventListener('abort', over)
  })
}
