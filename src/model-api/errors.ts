import { dpopChallenge } from '../auth/dpop-challenge.ts'
import type { Failure, FailureCode } from '../failure/failure.ts'
import type { ErrorAnswer, ErrorRenderer } from '../http/error-boundary.ts'
import { retryAfter } from '../http/retry-after.ts'
import { type FailedCall, type Framing, isVertex } from './errors-method.ts'
import {
  exhausted,
  internal,
  type Row,
  rowsByReason,
  type Told,
  unavailable,
  unnamedToken,
} from './errors-rows.ts'
import { type WireDetail, WireFailure } from './wire-failure.ts'

export interface WireErrorOptions {
  /** `goog` names Google's own domain in details. */
  readonly vendor: string
  /** The service that details name, `generativelanguage.googleapis.com` for the vendor `goog`. */
  readonly service: string
  readonly scopeBase: string
  /** Whose credentials are asked for: our public URL. */
  readonly realm: string
  /** The address of the protected-resource metadata, where tokens of an issuer are taken. */
  readonly resourceMetadata?: string
}

export interface ErrorBody {
  readonly error: {
    readonly code: number
    readonly message: string
    readonly status: string
    readonly details?: readonly WireDetail[]
  }
}

/** The Gemini wire: the only place where a failure becomes a status, a body and a challenge. */
export interface WireErrors {
  readonly body: (failure: Failure, call?: FailedCall) => ErrorBody
  /** The whole answer, for a failure before the first byte. */
  readonly answer: (failure: Failure, call?: FailedCall) => ErrorAnswer
}

export function createWireErrors(options: WireErrorOptions): WireErrors {
  const domain = options.vendor === 'goog' ? 'googleapis.com' : options.vendor

  function tell(failure: Failure, call: FailedCall): ErrorBody {
    const service = isVertex(call)
      ? options.service.replace('generativelanguage', 'aiplatform')
      : options.service
    return errorBody({ failure, call, service, domain })
  }

  return {
    body: (failure, call = {}) => tell(failure, call),
    answer: (failure, call = {}) => {
      const body = tell(failure, call)
      const headers = headersOf({ failure, call, body }, options)
      return {
        status: body.error.code,
        type: 'application/json; charset=UTF-8',
        body: errorText(body, call.framing),
        ...(headers === undefined ? {} : { headers }),
      }
    },
  }
}

export interface ErrorRendererOptions {
  /** What is known of the request that failed. */
  readonly callOf: (request: Parameters<ErrorRenderer>[1]) => FailedCall
  /** Tells of the answer; where it returns a promise, the answer waits for it. */
  readonly onFailure?: (
    failure: Failure,
    request: Parameters<ErrorRenderer>[1],
    status: number,
  ) => Promise<void> | undefined
}

/** For the routes that Fastify serves. */
export function createErrorRenderer(
  errors: WireErrors,
  { callOf, onFailure }: ErrorRendererOptions,
): ErrorRenderer {
  return (failure, request) => {
    const answer = errors.answer(failure, callOf(request))
    const recorded = onFailure?.(failure, request, answer.status)
    return recorded === undefined ? answer : { ...answer, recorded }
  }
}

/** Indented, as the API's own answers are by default. */
function errorText(body: ErrorBody, framing: Framing = 'whole'): string {
  const text = JSON.stringify(body, null, 2)
  return framing === 'array' ? `[${text}\n]\n` : `${text}\n`
}

function errorBody(told: Told): ErrorBody {
  const { failure } = told
  const row = rowsByReason.get(failure.reason ?? '') ?? rowsByCode[failure.code]
  const [code, status] = row.status
  const message = row.message?.(told) ?? failure.message
  const details =
    failure instanceof WireFailure && failure.details.length > 0 ? failure.details : row.details?.(told)
  return {
    error: { code, message, status, ...(details === undefined || details.length === 0 ? {} : { details }) },
  }
}

const rowsByCode: Readonly<Record<FailureCode, Row>> = {
  'invalid-request': { status: [400, 'INVALID_ARGUMENT'] },
  unauthenticated: unnamedToken,
  forbidden: { status: [403, 'PERMISSION_DENIED'] },
  'not-found': { status: [404, 'NOT_FOUND'] },
  'not-allowed': { status: [405, 'UNIMPLEMENTED'] },
  conflict: { status: [409, 'ABORTED'] },
  // What HTTP has further words for is an invalid argument to this API.
  'too-large': { status: [400, 'INVALID_ARGUMENT'] },
  'unsupported-media': { status: [400, 'INVALID_ARGUMENT'] },
  misdirected: { status: [421, 'FAILED_PRECONDITION'] },
  'limit-exceeded': exhausted,
  unavailable,
  timeout: { status: [504, 'DEADLINE_EXCEEDED'] },
  misconfigured: internal,
  internal,
}

interface Answered {
  readonly failure: Failure
  readonly call: FailedCall
  readonly body: ErrorBody
}

function headersOf(
  answered: Answered,
  options: WireErrorOptions,
): Readonly<Record<string, string | string[]>> | undefined {
  const { failure, body } = answered
  const { code } = body.error
  if (code === 429 || code === 503) return { 'retry-after': retryAfter(failure) }
  // What is left of the body is not waited for.
  if (failure.code === 'too-large') return { connection: 'close' }
  const challenge = challengeFor(answered, options)
  if (challenge === undefined) return undefined
  const dpop = dpopChallenge(failure.reason)
  return { 'www-authenticate': dpop === undefined ? challenge : [challenge, dpop] }
}

function challengeFor(
  { failure, call, body }: Answered,
  { realm, resourceMetadata, scopeBase }: WireErrorOptions,
): string | undefined {
  const scopes = call.scopes ?? [`${scopeBase}/cloud-platform`]
  const parameters: (readonly [string, string])[] = [['realm', realm]]
  if (resourceMetadata !== undefined) parameters.push(['resource_metadata', resourceMetadata])
  if (failure.reason === 'insufficient_scope')
    parameters.push(['error', 'insufficient_scope'], ['scope', scopes.join(' ')])
  else if (body.error.code === 401)
    parameters.push(['error', 'invalid_token'], ['error_description', failure.message])
  // Without a credential there is nothing wrong with it (RFC 6750, section 3.1).
  else if (failure.code !== 'unauthenticated' || body.error.code !== 403) return undefined
  return `Bearer ${parameters.map(([name, value]) => `${name}="${quotable(value)}"`).join(', ')}`
}

/** RFC 6750 allows printable ASCII without `"` and `\` in these. */
function quotable(value: string): string {
  return value.replaceAll('"', "'").replace(/[^\x20-\x21\x23-\x5b\x5d-\x7e]/gu, '?')
}
