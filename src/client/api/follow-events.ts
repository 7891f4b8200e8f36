import { ClientError } from '../client-error.ts'
import { type RetryOptions, retryPolicy } from '../retry-policy.ts'
import { serverSentBlocks } from '../server-sent-events.ts'
import type { ApiTransport } from './api-transport.ts'
import { type AuditEvent, auditEvent, type EventFilters, eventQuery } from './audit-event.ts'

export interface FollowOptions extends EventFilters {
  /** A saved `position`; without one it begins with the next event. */
  readonly start?: string | undefined
  readonly signal?: AbortSignal | undefined
  /** How the stream is opened again when it ended: so often in a row, and so patiently. Default 10 times. */
  readonly retries?: RetryOptions | undefined
}

/** Events as they happen, without an end; read once. A stream that ends is taken up again where it was. */
export interface Follow extends AsyncIterable<AuditEvent> {
  /** Behind the last event that was consumed, which is when the next one was asked for; where it began before there was one. */
  readonly position: string | undefined
  [Symbol.asyncIterator](): AsyncGenerator<AuditEvent, void, undefined>
}

export function followEvents(transport: ApiTransport, options: FollowOptions): Follow {
  const { signal, start, retries } = options
  const policy = retryPolicy({ most: 10, firstMs: 1000, longestMs: 15_000, ...retries })
  let position = start
  let failures = 0

  async function* once(): AsyncGenerator<AuditEvent, void, undefined> {
    const { body } = await transport.send({
      method: 'GET',
      path: '/events:stream',
      query: eventQuery(options),
      headers: {
        accept: 'text/event-stream',
        ...(position === undefined ? {} : { 'last-event-id': position }),
      },
      signal,
    })
    failures = 0
    if (body === null) return
    for await (const { id, data } of serverSentBlocks(body, { maxLength: mostLength, signal })) {
      if (data !== undefined) yield eventOf(data)
      if (id !== '') position = id
    }
  }

  async function* follow(): AsyncGenerator<AuditEvent, void, undefined> {
    for (;;) {
      const problem = yield* untilProblem(once(), signal)
      failures += 1
      const delay = policy.delay(failures, undefined)
      if (delay === undefined) throw problem
      await policy.wait(delay, signal)
    }
  }

  return {
    get position() {
      return position
    },
    [Symbol.asyncIterator]: follow,
  }
}

const mostLength = 1024 * 1024

/** Passes the events on until they end; what ended them is thrown unless it may be over by the next try. */
async function* untilProblem(
  events: AsyncGenerator<AuditEvent, void, undefined>,
  signal: AbortSignal | undefined,
): AsyncGenerator<AuditEvent, ClientError, undefined> {
  try {
    yield* events
    return new ClientError('network', 'the stream of events ended')
  } catch (error) {
    signal?.throwIfAborted()
    if (error instanceof ClientError && isPassing(error)) return error
    throw error
  }
}

function isPassing({ code, status = 0 }: ClientError): boolean {
  return code === 'network' || [429, 500, 502, 503, 504].includes(status)
}

function eventOf(data: string): AuditEvent {
  try {
    return auditEvent(JSON.parse(data), '')
  } catch (cause) {
    if (cause instanceof ClientError) throw cause
    throw new ClientError('not_json', 'an event of the stream is not JSON', { cause })
  }
}
