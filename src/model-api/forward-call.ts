import type { ServerResponse } from 'node:http'
import type { FastifyReply } from 'fastify'
import type { WireHead, WireSink, WireUsage } from '../engines/engine.ts'
import { Failure } from '../failure/failure.ts'
import { EventBoundary } from './event-boundary.ts'
import { bytesOfText } from './guess-tokens.ts'
import type { ModelCall } from './model-call.ts'

export interface ForwardParts {
  readonly call: ModelCall
  readonly reply: FastifyReply
  /** About how many tokens the request has. */
  readonly guess: () => number
  /** What goes wrong before the first byte. */
  readonly refuse: (error: unknown) => void
  /** Called when the answer is known; its end waits for the promise, where there is one. */
  readonly ended: (status: number) => Promise<void> | undefined
  /** The event that tells a failure in the middle of a stream. */
  readonly errorEvent: (failure: Failure) => string
}

/** Hands the bytes of an upstream to the caller, as fast as the caller takes them. */
export class ReplySink implements WireSink {
  readonly #parts: ForwardParts
  readonly #raw: ServerResponse
  #head: WireHead | undefined
  #isHeadSent = false
  /** What came with the head; it waits for the rest of what the upstream sent at once, and for nothing else. */
  #first: Uint8Array | undefined
  #isWaiting = false
  /** How many tokens went by at least, so that an answer which does not say so is not free. */
  #written = 0
  #isHeld = false
  #events: EventBoundary | undefined
  /** How many bytes of the announced length are still to come. */
  #missing = Number.NaN
  /** The last of the announced bytes: whoever has them has the whole answer, so they go out with the end. */
  #last: Uint8Array | undefined

  constructor(parts: ForwardParts) {
    this.#parts = parts
    this.#raw = parts.reply.raw
  }

  head(head: WireHead): void {
    this.#head = head
    if (this.#parts.call.framing === 'sse' && head.contentType.startsWith('text/event-stream'))
      this.#events = new EventBoundary()
    queueMicrotask(() => this.#begin())
  }

  data(bytes: Uint8Array): boolean {
    this.#events?.see(bytes)
    this.#written += this.#parts.call.framing === 'whole' ? bytes.length / bytesOfText : 1
    if (!this.#isHeadSent && this.#first === undefined) {
      this.#first = bytes
      return true
    }
    this.#begin()
    return this.#write(bytes)
  }

  end(usage: WireUsage | undefined): void {
    const { call, ended } = this.#parts
    this.#count(usage, this.#head?.status === 200)
    // Its reader sees that the last event is not whole, because the bytes go on as they are.
    if (this.#events?.isBetween() === false) call.failure = halfAnEvent()
    const recorded = ended(this.#head?.status ?? 0)
    if (recorded === undefined) this.#finish()
    else this.#hold(recorded, () => this.#finish())
  }

  fail(failure: Failure, usage: WireUsage | undefined): void {
    const { call, refuse, ended, errorEvent } = this.#parts
    this.#count(usage, this.#head === undefined ? failure.reason === 'cancelled' : this.#head.status === 200)
    if (this.#head === undefined) {
      refuse(failure)
      return
    }
    call.failure = failure
    this.#begin()
    const recorded = ended(failure.reason === 'cancelled' ? 499 : this.#head.status)
    // Between two events there is room to say why; anywhere else only a cut shows that something is missing.
    if (this.#events?.isBetween() !== true || this.#raw.destroyed) this.#raw.destroy()
    else if (recorded === undefined) this.#raw.end(errorEvent(failure))
    else this.#hold(recorded, () => this.#raw.end(errorEvent(failure)))
  }

  #hold(recorded: Promise<void>, finish: () => void): void {
    this.#isHeld = true
    recorded.then(finish).catch((error: unknown) => {
      if (this.#isHeadSent) this.#raw.destroy()
      else this.#parts.refuse(error)
    })
  }

  #finish(): void {
    if (!this.#isHeadSent) this.#sendWhole(this.#first ?? nothing)
    else if (this.#last === undefined) this.#raw.end()
    else this.#raw.end(this.#last)
  }

  /** The head does not wait for an event that comes later. */
  #begin(): void {
    if (this.#isHeadSent || this.#isHeld || this.#head === undefined) return
    this.#missing = Number(this.#head.length)
    this.#writeHead(this.#head, this.#head.length)
    if (this.#first === undefined) this.#raw.flushHeaders()
    else this.#write(this.#first)
    this.#first = undefined
  }

  /** An answer that came at once goes out in one write instead of three. */
  #sendWhole(bytes: Uint8Array): void {
    if (this.#head === undefined) return
    this.#writeHead(this.#head, String(bytes.length))
    if (bytes.length > longestText) this.#raw.end(bytes)
    else this.#raw.end(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1'), 'latin1')
  }

  #writeHead({ status, contentType, retryAfter }: WireHead, length: string | undefined): void {
    const { reply } = this.#parts
    this.#isHeadSent = true
    const set = reply.getHeaders()
    reply.hijack()
    const headers = ['content-type', contentType]
    if (this.#events !== undefined) headers.push('x-accel-buffering', 'no')
    if (length !== undefined) headers.push('content-length', length)
    if (retryAfter !== undefined) headers.push('retry-after', retryAfter)
    for (const name of Object.keys(set)) headers.push(name, String(set[name]))
    this.#raw.writeHead(status, headers)
  }

  #write(bytes: Uint8Array): boolean {
    this.#missing -= bytes.length
    if (this.#missing <= 0) {
      this.#last = bytes
      return true
    }
    if (this.#raw.write(bytes) || this.#raw.destroyed) return true
    if (!this.#isWaiting) {
      this.#isWaiting = true
      this.#raw.once('drain', () => {
        this.#isWaiting = false
        this.#head?.resume()
      })
    }
    return false
  }

  /** Neither a refusal nor a count costs anything; vectors are not written in tokens. */
  #count(usage: WireUsage | undefined, isAnswering: boolean): void {
    const { call, guess } = this.#parts
    if (usage !== undefined) {
      call.tokensIn = usage.promptTokens
      call.tokensOut = usage.outputTokens
    } else if (isAnswering && call.operation !== 'countTokens')
      call.tokensGuessed = guess() + (writesText.has(call.operation) ? Math.ceil(this.#written) : 0)
  }
}

const nothing = Buffer.alloc(0)

const writesText: ReadonlySet<string> = new Set(['generateContent', 'streamGenerateContent'])

/** In bytes; a longer answer is not worth the copy. */
const longestText = 16_384

function halfAnEvent(): Failure {
  return new Failure('unavailable', 'the upstream ended its answer in the middle of an event', {
    reason: 'upstream_garbage',
  })
}
