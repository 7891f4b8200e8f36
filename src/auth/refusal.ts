import { Failure } from '../failure/failure.ts'

/** The token is not good: the caller needs another one. */
export function refusal(message: string, cause?: unknown): Failure {
  return new Failure('unauthenticated', message, { reason: 'invalid_token', cause })
}

/** No verdict is possible, because whoever could give it does not answer: the caller may try again. */
export function noVerdict(message: string, cause?: unknown): Failure {
  return new Failure('unavailable', message, { reason: 'issuer_unavailable', cause })
}
