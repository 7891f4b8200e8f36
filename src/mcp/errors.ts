import type { FastifyRequest } from 'fastify'
import { bearerChallenge } from '../auth/challenge.ts'
import { dpopChallenge } from '../auth/dpop-challenge.ts'
import type { Failure, FailureCode } from '../failure/failure.ts'
import type { ErrorAnswer, ErrorRenderer } from '../http/error-boundary.ts'
import { retryAfter } from '../http/retry-after.ts'
import type { Reporter } from './decision.ts'
import type { Exchange } from './exchange.ts'
import { modernRevision } from './revisions.ts'

export interface RpcErrorOptions {
  /** The address of the protected-resource metadata. */
  readonly resourceMetadata: string
  /** What a client without a good token should ask for. */
  readonly initialScopes: () => readonly string[]
  readonly report: Reporter
}

/** The JSON-RPC wire: the only place where a failure becomes a status, a code and a challenge. */
export function createErrorRenderer(options: RpcErrorOptions): ErrorRenderer {
  return (failure, request) => {
    const exchange = request.exchange ?? undefined
    const [status, code] = statusAndCode(failure, exchange)
    if (exchange !== undefined) exchange.failure = failure
    return {
      recorded: exchange === undefined ? undefined : options.report(exchange, status),
      status,
      type: 'application/json',
      body: errorText(failure, code, { exchange, request }),
      ...headersOf(failure, exchange, options),
    }
  }
}

type Row = readonly [status: number, code: number]

function statusAndCode({ code, reason }: Failure, exchange: Exchange | undefined): Row {
  const row = reason === undefined ? undefined : byReason.get(reason)
  if (row === undefined) return byCode[code]
  // Clients of the older era read the error of an unknown method only from a 200.
  const isInBand = row[0] === 200 || (reason === 'unknown_method' && exchange?.era === 'legacy')
  if (!isInBand) return row
  if (exchange?.id !== undefined) return [200, row[1]]
  // A notification has no answer in which an error could travel.
  return [row[0] === 200 ? 400 : row[0], row[1]]
}

/** Errors about the HTTP message have a status; errors about the call travel in a 200, as official servers send them. */
const byReason: ReadonlyMap<string, Row> = new Map<string, Row>([
  ['parse_error', [400, -32700]],
  ['invalid_message', [400, -32600]],
  ['unserved_revision', [400, -32600]],
  ['not_acceptable', [406, -32600]],
  ['unknown_method', [404, -32601]],
  ['invalid_envelope', [400, -32602]],
  ['invalid_params', [200, -32602]],
  ['unknown_tool', [200, -32602]],
  ['invalid_cursor', [200, -32602]],
  ['cursor_expired', [200, -32602]],
  ['cursor_mismatch', [200, -32602]],
  ['header_mismatch', [400, -32020]],
  ['missing_capability', [400, -32021]],
  ['unsupported_revision', [400, -32022]],
  ['invalid_request', [400, 400]],
])

/** What the protocol has no number for carries its HTTP status, which is outside the reserved range. */
const byCode = {
  'invalid-request': [400, -32600],
  unauthenticated: [401, 401],
  forbidden: [403, 403],
  'not-found': [404, 404],
  'not-allowed': [405, 405],
  conflict: [409, 409],
  'too-large': [413, 413],
  'unsupported-media': [415, 415],
  misdirected: [421, 421],
  'limit-exceeded': [429, 429],
  unavailable: [503, 503],
  timeout: [504, 504],
  misconfigured: [500, -32603],
  internal: [500, -32603],
} as const satisfies Record<FailureCode, Row>

interface Told {
  readonly exchange: Exchange | undefined
  readonly request: FastifyRequest
}

function errorText(failure: Failure, code: number, { exchange, request }: Told): string {
  const data = { ...dataOf(failure, exchange), requestId: request.id }
  return JSON.stringify({
    jsonrpc: '2.0',
    // Absent until the body is read: then the error answers the request as a whole.
    id: exchange?.id,
    error: { code, message: messageOf(failure, code), data },
  })
}

function messageOf(failure: Failure, code: number): string {
  if (code === -32603) return 'the server failed; its log has the cause under this request id'
  return failure.reason === 'insufficient_scope' ? 'insufficient scope' : failure.message
}

function dataOf(failure: Failure, exchange: Exchange | undefined): object {
  const tool = exchange?.tool
  if (failure.reason === 'unsupported_revision')
    return { supported: [modernRevision], requested: exchange?.revision }
  if (failure.reason === 'missing_capability')
    return { requiredCapabilities: tool?.tool.requiresCapabilities ?? {} }
  if (failure.reason === 'insufficient_scope')
    return { tool: tool?.name, requiredScopes: tool?.challenge ?? [], detail: failure.message }
  const { reason, retryAfterSeconds } = failure
  return { reason, retryAfterSeconds }
}

function headersOf(
  failure: Failure,
  exchange: Exchange | undefined,
  options: RpcErrorOptions,
): Pick<ErrorAnswer, 'headers'> {
  if (failure.code === 'limit-exceeded' || failure.code === 'unavailable')
    return { headers: { 'retry-after': retryAfter(failure) } }
  // What is left of the body is not waited for.
  if (failure.code === 'too-large') return { headers: { connection: 'close' } }
  const challenges = challengesFor(failure, exchange, options)
  const [only] = challenges
  if (only === undefined) return {}
  return { headers: { 'www-authenticate': challenges.length === 1 ? only : challenges } }
}

function challengesFor(
  failure: Failure,
  exchange: Exchange | undefined,
  { resourceMetadata, initialScopes }: RpcErrorOptions,
): string[] {
  const description = failure.message
  if (failure.reason === 'insufficient_scope') {
    const scopes = exchange?.tool?.challenge ?? []
    return [bearerChallenge({ resourceMetadata, error: 'insufficient_scope', description, scopes })]
  }
  if (failure.code !== 'unauthenticated') return []
  const scopes = initialScopes()
  // Without a token there is nothing wrong with it (RFC 6750, section 3.1).
  if (failure.reason === 'missing_token') return [bearerChallenge({ resourceMetadata, scopes })]
  const error = failure.reason === 'invalid_request' ? 'invalid_request' : 'invalid_token'
  const bearer = bearerChallenge({ resourceMetadata, error, description, scopes })
  const dpop = dpopChallenge(failure.reason)
  return dpop === undefined ? [bearer] : [bearer, dpop]
}
