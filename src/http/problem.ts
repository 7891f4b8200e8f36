import type { FastifyRequest } from 'fastify'
import type { Failure, FailureCode } from '../failure/failure.ts'
import type { ErrorAnswer } from './error-boundary.ts'
import { retryAfter } from './retry-after.ts'

/** RFC 9457; the shape of every error that no surface claims for itself. */
export function renderProblem(failure: Failure, request: FastifyRequest): ErrorAnswer {
  const [status, title] = problems[failure.code]
  const problem = {
    type: 'about:blank',
    title,
    status,
    detail: isOurs(failure.code)
      ? 'The server failed; its log has the cause under this request id.'
      : failure.message,
    code: failure.reason,
    field: failure.field,
    recovery: failure.recovery,
    request_id: request.id,
  }
  return {
    status,
    type: 'application/problem+json',
    body: JSON.stringify(problem),
    ...(failure.retryAfterSeconds !== undefined && { headers: { 'retry-after': retryAfter(failure) } }),
  }
}

const problems = {
  'invalid-request': [400, 'Bad Request'],
  unauthenticated: [401, 'Unauthorized'],
  forbidden: [403, 'Forbidden'],
  'not-found': [404, 'Not Found'],
  'not-allowed': [405, 'Method Not Allowed'],
  conflict: [409, 'Conflict'],
  'too-large': [413, 'Content Too Large'],
  'unsupported-media': [415, 'Unsupported Media Type'],
  misdirected: [421, 'Misdirected Request'],
  'limit-exceeded': [429, 'Too Many Requests'],
  unavailable: [503, 'Service Unavailable'],
  timeout: [504, 'Gateway Timeout'],
  misconfigured: [500, 'Internal Server Error'],
  internal: [500, 'Internal Server Error'],
} as const satisfies Record<FailureCode, readonly [number, string]>

/** Messages of these codes speak to the operator: they may name files, keys and hosts. */
function isOurs(code: FailureCode): boolean {
  return code === 'internal' || code === 'misconfigured'
}
