import { Failure } from '../failure/failure.ts'

/** The token is not good: the caller needs another one. */
export function refusal(message: string, cause?: unknown): Failure {
  return new Failure('unauthenticated', message, { reason: 'invalid_token', cause })
}

/** As `refusal`, for a token whose time is over: `field` tells it apart, and the reason stays the one that clients know. */
export function expiry(message: string): Failure {
  return new Failure('unauthenticated', message, { reason: 'invalid_token', field: 'exp' })
}

export function isExpiry(failure: Failure): boolean {
  return failure.reason === 'invalid_token' && failure.field === 'exp'
}

/** No verdict is possible, because whoever could give it does not answer: the caller may try again. */
export function noVerdict(message: string, cause?: unknown): Failure {
  return new Failure('unavailable', message, { reason: 'issuer_unavailable', cause })
}
