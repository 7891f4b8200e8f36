import { Failure } from '../../failure/failure.ts'
import { retryAfterSeconds, toldSeconds } from '../retry-wait.ts'
import { isObject, objectAt, parseObject, textAt } from './values.ts'

/** What the upstream said when it refused; for our log and for whoever tries again. */
export class UpstreamRefusal extends Error {
  override readonly name = 'UpstreamRefusal'
  readonly statusCode: number
  readonly retryAfterSeconds: number | undefined

  constructor(statusCode: number, said: string, retryAfterSeconds?: number) {
    super(said)
    this.statusCode = statusCode
    this.retryAfterSeconds = retryAfterSeconds
  }
}

export interface RefusedAnswer {
  readonly status: number
  readonly body: string
  readonly retryAfter?: string | undefined
}

export interface RefusedCall {
  readonly model: string
  /** Never shown, should the upstream quote it. */
  readonly apiKey?: string | undefined
  readonly now: () => number
}

/** The upstream's own words reach the caller only where they are about the request. */
export function refusedByUpstream(answer: RefusedAnswer, call: RefusedCall): Failure {
  const { status } = answer
  const said = shortened(withoutKey(upstreamMessage(answer.body), call.apiKey))
  const cause = new UpstreamRefusal(status, said, retryAfterSeconds(answer.retryAfter, call.now()))
  const told = toldSeconds(cause.retryAfterSeconds)
  const quoted = said === '' ? '' : `: ${said}`
  if (status === 400 || status === 422)
    return new Failure('invalid-request', `the upstream refused the request${quoted}`, { cause })
  if (status === 401 || status === 403) {
    const message = 'the upstream refused our credential; the operator must set a valid apiKey for this model'
    return new Failure('unavailable', message, { cause, reason: 'upstream_credential' })
  }
  if (status === 404 && said === '') {
    const message =
      'the upstream answered with status 404, and not in the words of its API; the operator must set its baseUrl right'
    return new Failure('unavailable', message, { cause, reason: 'upstream_garbage' })
  }
  if (status === 404) {
    const message = `the upstream has no model ${JSON.stringify(call.model)}; the operator must set its model and baseUrl right`
    return new Failure('not-found', message, { cause, reason: 'upstream_model' })
  }
  if (status === 413)
    return new Failure('too-large', `the request is too large for the upstream${quoted}`, { cause })
  if (status === 429) {
    const message = 'the upstream takes no more requests for now; try again later'
    return new Failure('limit-exceeded', message, { cause, reason: 'upstream_limit', ...told })
  }
  if (status === 501)
    return new Failure('not-found', `the upstream does not support this operation${quoted}`, {
      cause,
      reason: 'operation_unsupported',
    })
  const message = `the upstream failed with status ${status}; try again later`
  return new Failure('unavailable', message, { cause, ...told })
}

/** Whatever breaks below HTTP: no connection, a reset, silence. */
export function brokenUpstream(cause: unknown): Failure {
  if (cause instanceof Failure) return cause
  const code = isObject(cause) ? textAt(cause, 'code') : undefined
  const { message, reason } = breakages.get(code ?? '') ?? {
    message: 'the connection to the upstream broke; try again later',
    reason: 'upstream_broken',
  }
  return new Failure('unavailable', message, { cause, reason })
}

const late = 'upstream_timeout'

const breakages: ReadonlyMap<string, { readonly message: string; readonly reason: string }> = new Map([
  ['UND_ERR_CONNECT_TIMEOUT', { message: 'the upstream did not accept a connection in time', reason: late }],
  ['UND_ERR_HEADERS_TIMEOUT', { message: 'the upstream did not begin to answer in time', reason: late }],
  [
    'UND_ERR_BODY_TIMEOUT',
    { message: 'the upstream fell silent before its answer was complete', reason: late },
  ],
  [
    'ECONNREFUSED',
    { message: 'the upstream is not running, or refuses connections', reason: 'upstream_down' },
  ],
  ['ENOTFOUND', { message: 'the upstream has no known address', reason: 'upstream_down' }],
])

/** `{"error":{"message"}}`, as most say it; `{"error":"…"}` and `{"message"}`, as some do. */
function upstreamMessage(body: string): string {
  const parsed = parseObject(body)
  if (parsed === undefined) return ''
  const error = objectAt(parsed, 'error')
  return (error && textAt(error, 'message')) ?? textAt(parsed, 'error') ?? textAt(parsed, 'message') ?? ''
}

function withoutKey(text: string, apiKey: string | undefined): string {
  return apiKey === undefined || apiKey === '' ? text : text.replaceAll(apiKey, '[redacted]')
}

const maxQuoted = 500

function shortened(text: string): string {
  return text.length <= maxQuoted ? text : `${text.slice(0, maxQuoted)}…`
}
