import type { FastifyReply } from 'fastify'
import type { Principal } from '../auth/principal.ts'
import type { EventStream } from '../http/event-stream.ts'
import { openEventStream } from '../http/event-stream.ts'
import type { Exchange } from './exchange.ts'
import { guardedController } from './guarded-signal.ts'
import type { Members } from './message.ts'
import type { ToolContext } from './tool.ts'

export interface CallSetting {
  readonly principal: Principal
  readonly exchange: Exchange
  readonly reply: FastifyReply
  /** The caller can read an answer in pieces. */
  readonly takesStream: boolean
}

/** What a running tool sees. Signal and stream are made on first use: most tools need neither. */
export class CallContext implements ToolContext {
  readonly principal: Principal
  readonly requestId: string
  readonly #reply: FastifyReply
  readonly #exchange: Exchange
  readonly #token: string | number | undefined
  #abort: AbortController | undefined
  #stream: EventStream | undefined
  #reason: unknown
  #isOver = false
  #last = Number.NEGATIVE_INFINITY

  constructor({ principal, exchange, reply, takesStream }: CallSetting, params: Members) {
    this.principal = principal
    this.requestId = exchange.requestId
    this.#exchange = exchange
    this.#reply = reply
    this.#token = takesStream ? progressToken(params._meta) : undefined
  }

  get signal(): AbortSignal {
    if (this.#abort === undefined) {
      this.#abort = guardedController((error) =>
        this.#reply.log.warn({ err: error }, 'a tool failed when it was told to stop'),
      )
      const { raw } = this.#reply
      if (this.#reason !== undefined || (raw.destroyed && !raw.writableFinished)) this.cancel(this.#reason)
      else raw.once('close', () => raw.writableFinished || this.cancel(undefined))
    }
    return this.#abort.signal
  }

  get progress(): ToolContext['progress'] {
    return (done, total, message) => {
      // The protocol asks that progress grows; after the answer nothing may follow.
      if (this.#token === undefined || this.#isOver || !(done > this.#last) || !Number.isFinite(done)) return
      this.#last = done
      const params = { progressToken: this.#token, progress: done, total, message }
      this.stream().offer(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/progress', params }))
    }
  }

  get used(): ToolContext['used'] {
    return (tokensIn, tokensOut) => {
      this.#exchange.tokensIn = (this.#exchange.tokensIn ?? 0) + tokensIn
      this.#exchange.tokensOut = (this.#exchange.tokensOut ?? 0) + tokensOut
    }
  }

  /** The caller hung up; nobody reads what comes now. */
  get isAbandoned(): boolean {
    return this.#reply.raw.destroyed
  }

  stream(): EventStream {
    this.#stream ??= openEventStream(this.#reply)
    return this.#stream
  }

  /** Hands over the answer: as the last event if a stream is open, else as a body. */
  finish(body: string): string | undefined {
    this.#isOver = true
    if (this.#stream === undefined) return body
    this.#stream.end(body)
    return undefined
  }

  cancel(reason: unknown): void {
    this.#isOver = true
    this.#reason = reason ?? new DOMException('the caller is gone', 'AbortError')
    this.#abort?.abort(this.#reason)
  }
}

function progressToken(meta: unknown): string | number | undefined {
  const token: unknown = Reflect.get(Object(meta), 'progressToken')
  // JSON can spell a number that it cannot hold, such as 1e999, and would send it back as null.
  return typeof token === 'string' || (typeof token === 'number' && Number.isFinite(token))
    ? token
    : undefined
}
