import { validateHeaderValue } from 'node:http'
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Failure } from '../failure/failure.ts'
import { asFailure } from './as-failure.ts'

export interface ErrorAnswer {
  readonly status: number
  /** The media type, as it goes into `content-type`. */
  readonly type: string
  readonly body: string
  readonly headers?: Readonly<Record<string, string | string[]>>
  /** The answer waits for it; broken, its failure is rendered in place of the answer. */
  readonly recorded?: Promise<void> | undefined
}

/** Each protocol's own table from failure to bytes; it must not throw. */
export type ErrorRenderer = (failure: Failure, request: FastifyRequest) => ErrorAnswer

/** Gives a scope its own error wire; with a prefix of its own that includes the paths nobody knows. */
export function useErrorRenderer(scope: FastifyInstance, render: ErrorRenderer): void {
  scope.setErrorHandler(errorBoundary(render))
  if (scope.prefix !== '') scope.setNotFoundHandler(neverReached)
}

/** The one general catch: a failure becomes its surface's bytes, anything else a 500 that says nothing. */
export function errorBoundary(
  render: ErrorRenderer,
): (error: FastifyError, request: FastifyRequest, reply: FastifyReply) => void {
  return (error, request, reply) => {
    const unsendable = keepErrorHeaders(reply)
    const failure = unsendable ?? asFailure(error, request)
    const answer = render(failure, request)
    record(failure, answer.status, request)
    if (answer.recorded === undefined) send(answer, reply)
    else
      answer.recorded
        .then(
          () => send(answer, reply),
          (broken: unknown) => send(render(asFailure(broken, request), request), reply),
        )
        .catch((unsent: unknown) => reply.send(unsent))
  }
}

function send({ status, type, body, headers = {} }: ErrorAnswer, reply: FastifyReply): void {
  reply
    .headers(headers)
    .code(status)
    .header('cache-control', 'no-store')
    .header('content-type', type)
    // Without a serializer Fastify would add a charset, which problem+json does not define.
    .serializer(asIs)
    .send(body)
}

/** The headers of an answer that failed describe another body; the first that cannot be sent is a failure itself. */
function keepErrorHeaders(reply: FastifyReply): Failure | undefined {
  let unsendable: Failure | undefined
  for (const [name, value] of Object.entries(reply.getHeaders())) {
    if (errorHeaders.has(name)) {
      const cause = headerFault(name, value)
      if (cause === undefined) continue
      unsendable ??= new Failure('internal', `the header ${name} cannot be sent`, { cause })
    }
    reply.removeHeader(name)
    if (!reply.raw.headersSent) reply.raw.removeHeader(name)
  }
  return unsendable
}

const errorHeaders: ReadonlySet<string> = new Set([
  'access-control-allow-origin',
  'access-control-expose-headers',
  'allow',
  'cache-control',
  'connection',
  'retry-after',
  'vary',
  'www-authenticate',
  'x-content-type-options',
  'x-request-id',
])

function headerFault(name: string, value: unknown): unknown {
  try {
    for (const text of [value].flat()) validateHeaderValue(name, String(text))
    return undefined
  } catch (error) {
    return error
  }
}

function asIs(body: string): string {
  return body
}

function record(failure: Failure, status: number, request: FastifyRequest): void {
  const isRare = toldElsewhere.has(failure.reason ?? '')
  if (status >= 500 && !isRare) request.log.error({ err: failure, failure: failure.code }, 'request failed')
  else if (failure.cause !== undefined)
    request.log.debug({ err: failure, failure: failure.code }, 'request refused')
}

/** Who keeps the record, the counters or the bodies says what is wrong with them, once for many calls. */
const toldElsewhere: ReadonlySet<string> = new Set([
  'record_unavailable',
  'limits_unavailable',
  'bodies_full',
])

/** Unknown routes are refused before any handler; naming one binds them to this scope's error wire. */
function neverReached(): never {
  throw new Failure('not-found', 'there is nothing under this path')
}
