import { Failure } from '../failure/failure.ts'

export function cancelledCall(): Failure {
  return new Failure('invalid-request', 'the caller has gone', { reason: 'cancelled' })
}

/** While the breaker is open, or where an upstream says that it is overloaded. */
export function restingUpstream(retryAfterSeconds?: number): Failure {
  return new Failure('unavailable', 'no upstream of this model answers at the moment; try again shortly', {
    reason: 'overloaded',
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
  })
}

/** What the upstream says about our credential, or where it sends us, is not for the caller. */
export function refusedToUs(name: string, status: number): Failure {
  return new Failure('unavailable', `the upstream of ${name} did not let the gateway in`, {
    cause: new Error(`it answered with status ${status}`),
    reason: 'upstream_refused',
  })
}

/** Proxies on the way answer in HTML, and some compress what nobody asked them to. */
export function strangeAnswer(name: string, status: number, what: string): Failure {
  const cause = new Error(`it answered with status ${status} and ${what}`)
  if (status === 413) return new Failure('too-large', 'the request is too large for the upstream', { cause })
  if (status === 429)
    return new Failure('limit-exceeded', 'the upstream takes no more requests at the moment', { cause })
  return new Failure('unavailable', `the upstream of ${name} answered with something else than JSON`, {
    cause,
    reason: status >= 500 ? 'upstream_failed' : 'upstream_garbage',
  })
}

/** A connection that failed, broke or fell silent. */
export function brokenAnswer(name: string, cause: Error): Failure {
  const code = 'code' in cause ? cause.code : undefined
  return typeof code === 'string' && lateCodes.has(code)
    ? new Failure('timeout', `the upstream of ${name} took too long`, { cause, reason: 'upstream_timeout' })
    : new Failure('unavailable', `the upstream of ${name} did not answer`, {
        cause,
        reason: 'upstream_failed',
      })
}

const lateCodes: ReadonlySet<string> = new Set(['UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT'])
