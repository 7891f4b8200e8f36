import { ClientError, type ClientErrorOptions } from '../client-error.ts'
import { responseError } from '../response-error.ts'
import { isJsonObject, type JsonObject } from '../wire-reader.ts'

export interface ModelErrorOptions extends ClientErrorOptions {
  readonly details?: readonly JsonObject[]
  readonly retryAfterMs?: number | undefined
}

/** What the model API says is wrong: `code` is its status, such as `RESOURCE_EXHAUSTED`, `reason` a finer word. */
export class ModelError extends ClientError {
  /** As they came, each with its `@type`. */
  readonly details: readonly JsonObject[]
  /** How long the server wants to be left alone, where it said so. */
  readonly retryAfterMs: number | undefined

  constructor(code: string, message: string, options: ModelErrorOptions = {}) {
    super(code, message, options)
    this.details = options.details ?? []
    this.retryAfterMs = options.retryAfterMs
  }
}

export interface RefusedCall {
  readonly where: string
  readonly status: number
  readonly text: string | null
  readonly retryAfter?: string | null
  readonly scopes?: readonly string[] | undefined
  /** What was sent and must not come back in a message. */
  readonly secrets: readonly string[]
}

export function modelError({ scopes, retryAfter = null, ...call }: RefusedCall): ModelError {
  const body = errorBody(call.text)
  const { code, message } = responseError({ ...call, text: JSON.stringify(body ?? null), position: null })
  const reason = detailOf(body, 'ErrorInfo')?.reason
  return new ModelError(code, message, {
    status: call.status,
    reason: typeof reason === 'string' ? reason : undefined,
    scopes,
    details: detailsOf(body),
    retryAfterMs: askedDelay(call.text, retryAfter),
  })
}

/** How long an answer asks to wait: by its `RetryInfo`, its header `Retry-After`, or the longer of both. */
export function askedDelay(
  text: string | null,
  retryAfter: string | null,
  now: number = Date.now(),
): number | undefined {
  const delay = detailOf(errorBody(text), 'RetryInfo')?.retryDelay
  const [, seconds] = typeof delay === 'string' ? (/^(\d+(?:\.\d+)?)s$/.exec(delay) ?? []) : []
  const asked = [seconds === undefined ? undefined : Number(seconds) * 1000, headerDelay(retryAfter, now)]
  const known = asked.filter((ms) => ms !== undefined && Number.isFinite(ms))
  return known.length === 0 ? undefined : Math.ceil(Math.max(...known.map(Number)))
}

/** Seconds, or a date (RFC 9110, section 10.2.3). */
function headerDelay(header: string | null, now: number): number | undefined {
  if (header === null) return undefined
  if (/^\d+$/.test(header)) return Number(header) * 1000
  const date = Date.parse(header)
  return Number.isNaN(date) ? undefined : Math.max(0, date - now)
}

/** Some routes put the error into an array. */
function errorBody(text: string | null): unknown {
  try {
    const body: unknown = JSON.parse(text ?? '')
    return Array.isArray(body) ? body[0] : body
  } catch {
    return undefined
  }
}

function detailsOf(body: unknown): readonly JsonObject[] {
  const error = isJsonObject(body) ? body.error : undefined
  const details = isJsonObject(error) ? error.details : undefined
  return Array.isArray(details) ? details.filter(isJsonObject) : []
}

function detailOf(body: unknown, kind: string): JsonObject | undefined {
  return detailsOf(body).find(({ '@type': type }) => typeof type === 'string' && type.endsWith(`.${kind}`))
}
