import { bearerChallenge } from '../auth/challenge.ts'
import { dpopChallenge } from '../auth/dpop-challenge.ts'
import type { Failure } from '../failure/failure.ts'
import type { ErrorAnswer, ErrorRenderer } from '../http/error-boundary.ts'
import { renderProblem } from '../http/problem.ts'
import { retryAfter } from '../http/retry-after.ts'
import type { Reporter } from './decision.ts'
import { scopesOf } from './operation.ts'

/** Problem details, with the challenge that tells a client what token it needs. */
export function createErrorRenderer(resourceMetadata: string, report: Reporter): ErrorRenderer {
  return (failure, request) => {
    const answer = renderProblem(failure, request)
    const exchange = request.adminExchange
    if (exchange === null) return answer
    exchange.failure = failure
    const headers = headersFor(failure, { resourceMetadata, scopes: scopesOf(exchange.operation) })
    return {
      ...answer,
      headers: { ...answer.headers, ...headers },
      recorded: report(exchange, answer.status),
    }
  }
}

interface Needed {
  readonly resourceMetadata: string
  readonly scopes: readonly string[]
}

function headersFor(failure: Failure, needed: Needed): NonNullable<ErrorAnswer['headers']> {
  if (failure.code === 'limit-exceeded' || failure.code === 'unavailable')
    return { 'retry-after': retryAfter(failure) }
  // What is left of the body is not waited for.
  if (failure.code === 'too-large') return { connection: 'close' }
  const challenges = challengesFor(failure, needed)
  const [only] = challenges
  if (only === undefined) return {}
  return { 'www-authenticate': challenges.length === 1 ? only : challenges }
}

function challengesFor(failure: Failure, needed: Needed): string[] {
  const description = failure.message
  if (failure.reason === 'insufficient_scope')
    return [bearerChallenge({ ...needed, error: 'insufficient_scope', description })]
  if (failure.code !== 'unauthenticated') return []
  // Without a token there is nothing wrong with it (RFC 6750, section 3.1).
  if (failure.reason === 'missing_token') return [bearerChallenge(needed)]
  const error = failure.reason === 'invalid_request' ? 'invalid_request' : 'invalid_token'
  const bearer = bearerChallenge({ ...needed, error, description })
  const dpop = dpopChallenge(failure.reason)
  return dpop === undefined ? [bearer] : [bearer, dpop]
}
