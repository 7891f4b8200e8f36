import { type Dispatcher, Pool } from 'undici'
import { createBreaker } from './breaker.ts'
import type { WireSink } from './engine.ts'
import type { Presence } from './presence.ts'
import { WireAnswer } from './wire-answer.ts'

export interface WireUpstreamOptions {
  /** For messages: the name of the model. */
  readonly name: string
  /** Scheme, host and port. */
  readonly origin: string
  readonly connectSeconds: number
  /** Until the first byte of the answer. */
  readonly firstByteSeconds: number
  /** Between two bytes of it. */
  readonly idleSeconds: number
  /** Milliseconds that never step. */
  readonly now?: () => number
}

export interface WireOrder {
  readonly path: string
  readonly headers: readonly string[]
  readonly body: Uint8Array | string
  readonly caller: Presence
}

export interface WireUpstream {
  readonly send: (order: WireOrder, sink: WireSink) => void
  /** False while it has failed too often a moment ago. */
  readonly mayTry: () => boolean
  /** Until it may be tried again. */
  readonly restSeconds: () => number
  readonly close: () => Promise<void>
}

/** One upstream that speaks the Gemini wire: bytes are handed on as they come. */
export function createWireUpstream(options: WireUpstreamOptions): WireUpstream {
  const { name, origin, now = () => performance.now() } = options
  const pool = new Pool(origin, {
    allowH2: false,
    connect: { timeout: options.connectSeconds * 1000 },
    headersTimeout: options.firstByteSeconds * 1000,
    bodyTimeout: options.idleSeconds * 1000,
    keepAliveTimeout: 30_000,
  })
  const breaker = createBreaker(now)
  return {
    mayTry: breaker.mayTry,
    restSeconds: breaker.restSeconds,
    close: () => pool.destroy(),
    send: ({ path, headers, body, caller }, sink) => {
      const answer = new WireAnswer(sink, { name, caller, breaker })
      if (!answer.isAwaited()) return
      const request: Dispatcher.DispatchOptions = {
        origin,
        path,
        method: 'POST',
        headers: [...headers, ...plainBytes],
        body: asBuffer(body),
      }
      pool.dispatch(request, answer)
    },
  }
}

/** Usage could not be read from an answer that is compressed. */
const plainBytes = ['accept-encoding', 'identity'] as const

/** A Uint8Array that is no Buffer would be read as a stream. */
function asBuffer(body: Uint8Array | string): Buffer | string {
  if (typeof body === 'string' || Buffer.isBuffer(body)) return body
  return Buffer.from(body.buffer, body.byteOffset, body.byteLength)
}
