import type { Dispatcher } from 'undici'
import type { Failure } from '../failure/failure.ts'
import { type Breaker, isBreakdown } from './breaker.ts'
import type { WireHead, WireSink } from './engine.ts'
import type { Presence } from './presence.ts'
import { brokenAnswer, cancelledCall, refusedToUs, strangeAnswer } from './wire-failures.ts'
import { isAboutOurKey } from './wire-key-refusal.ts'
import { UsageReader } from './wire-usage.ts'

interface WireAnswerParts {
  /** For messages: the name of the model. */
  readonly name: string
  readonly caller: Presence
  readonly breaker: Breaker
}

type Headers = Readonly<Record<string, string | string[] | undefined>>

/** One answer on its way through. A class, because its methods are called for each chunk. */
export class WireAnswer implements Dispatcher.DispatchHandler {
  readonly #sink: WireSink
  readonly #parts: WireAnswerParts
  readonly #usage = new UsageReader()
  #controller: Dispatcher.DispatchController | undefined
  /** A 400 may be about our key: it is held back until its text is known. */
  #heldBack: { readonly head: WireHead; readonly chunks: Buffer[]; length: number } | undefined
  #isFaulty = false
  #isOver = false
  /** Bytes that came after the end was told. */
  #ignored = 0

  constructor(sink: WireSink, parts: WireAnswerParts) {
    this.#sink = sink
    this.#parts = parts
  }

  /** False when the caller has gone already, which the sink was told then. */
  isAwaited(): boolean {
    const { caller } = this.#parts
    if (caller.isGone) this.#fail(cancelledCall())
    else caller.listen(() => this.#abort())
    return !this.#isOver
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    if (this.#isOver) controller.abort(gone)
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number, headers: Headers): void {
    // 102 and 103 are followed by the answer.
    if (status < 200) return
    const { name, breaker } = this.#parts
    if (isBreakdown(status)) this.#countFault()
    else breaker.answering()
    if (status === 401 || status === 403 || (status >= 300 && status < 400)) {
      this.#fail(refusedToUs(name, status))
      return
    }
    const type = text(headers['content-type']) ?? jsonType
    const what = strangeness(type, text(headers['content-encoding']))
    if (what !== undefined) {
      this.#countFault()
      this.#fail(strangeAnswer(name, status, what))
      return
    }
    const head: WireHead = {
      status,
      contentType: type,
      length: text(headers['content-length']),
      retryAfter: text(headers['retry-after']),
      resume: () => controller.resume(),
      drop: () => this.#finish(),
    }
    if (status === 400) this.#heldBack = { head, chunks: [], length: 0 }
    else this.#sink.head(head)
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#isOver) this.#ignore(controller, chunk)
    else if (this.#heldBack !== undefined) this.#holdBack(controller, chunk)
    else {
      this.#usage.see(chunk)
      if (!this.#sink.data(chunk)) controller.pause()
    }
  }

  onResponseEnd(): void {
    if (this.#isOver) return
    if (!this.#isFaulty) this.#parts.breaker.succeeded()
    if (this.#heldBack !== undefined && isAboutOurKey(this.#heldBack.chunks)) {
      this.#fail(refusedToUs(this.#parts.name, 400))
      return
    }
    this.#release()
    if (this.#finish()) this.#sink.end(this.#usage.usage())
  }

  onResponseError(_controller: unknown, error: Error): void {
    if (this.#isOver) return
    this.#countFault()
    this.#fail(brokenAnswer(this.#parts.name, error))
  }

  /** Also while the connection is still being made: then there is nothing to end yet but the waiting. */
  #abort(): void {
    this.#fail(cancelledCall())
    this.#controller?.abort(gone)
  }

  #holdBack(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#heldBack === undefined) return
    this.#heldBack.chunks.push(chunk)
    this.#heldBack.length += chunk.length
    // No refusal of a key is that long.
    if (this.#heldBack.length > mostUnread && !this.#release()) controller.pause()
  }

  #release(): boolean {
    const held = this.#heldBack
    if (held === undefined) return true
    this.#heldBack = undefined
    this.#sink.head(held.head)
    return this.#sink.data(Buffer.concat(held.chunks))
  }

  /** A short rest is read, so that the connection can be used again. */
  #ignore(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#ignored += chunk.length
    if (this.#ignored > mostUnread) controller.abort(gone)
  }

  #countFault(): void {
    if (!this.#isFaulty) this.#parts.breaker.failed()
    this.#isFaulty = true
  }

  #fail(failure: Failure): void {
    if (this.#finish()) this.#sink.fail(failure, this.#usage.usage())
  }

  #finish(): boolean {
    if (this.#isOver) return false
    this.#isOver = true
    this.#parts.caller.forget()
    return true
  }
}

const mostUnread = 65_536
const gone = new Error('nobody waits for this answer any more')
const jsonType = 'application/json; charset=UTF-8'

function strangeness(type: string, encoding: string | undefined): string | undefined {
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') return `content-encoding ${encoding}`
  return knownTypes.test(type) ? undefined : `content-type ${type}`
}

const knownTypes = /^(?:application\/json|text\/event-stream)\s*(?:;|$)/i

function text(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value
}
