import { Failure, type FailureCode } from '../failure/failure.ts'
import type { WireHead, WireSink, WireUsage } from './engine.ts'
import { toldSeconds } from './retry-wait.ts'
import { restingUpstream } from './wire-failures.ts'

export interface Hesitation {
  /** Whether an answer that begins so is given up for another one. */
  readonly isWorth: (head: WireHead) => boolean
  /** Whether a failure before the answer began is; never asked about a caller that has gone. */
  readonly isWorthAfter: (failure: Failure) => boolean
  /** Asks for the other answer. */
  readonly again: (failure: Failure) => void
}

/** Statuses that say something about the upstream rather than about the request. */
export const mayBeBetter: ReadonlySet<number> = new Set([408, 429, 500, 502, 503, 504])

/**
 * The same of a failure: only then another engine is worth asking. Callers name our model and not that of the upstream, so it
 * is no fault of theirs when the upstream lacks it.
 */
export function isFault(error: unknown): error is Failure {
  return error instanceof Failure && (faults.has(error.code) || error.reason === 'upstream_model')
}

const faults: ReadonlySet<FailureCode> = new Set<FailureCode>([
  'unavailable',
  'timeout',
  'limit-exceeded',
  'internal',
])

/** A sink that holds back what another attempt may better; what has begun to go out is never taken back. */
export function hesitate(sink: WireSink, hesitation: Hesitation): WireSink {
  return new Hesitant(sink, hesitation)
}

class Hesitant implements WireSink {
  readonly #sink: WireSink
  readonly #hesitation: Hesitation
  #isAnswering = false

  constructor(sink: WireSink, hesitation: Hesitation) {
    this.#sink = sink
    this.#hesitation = hesitation
  }

  head(head: WireHead): void {
    if (this.#hesitation.isWorth(head)) {
      head.drop()
      this.#hesitation.again(unanswered(head))
    } else {
      this.#isAnswering = true
      this.#sink.head(head)
    }
  }

  data(bytes: Uint8Array): boolean {
    return this.#sink.data(bytes)
  }

  end(usage: WireUsage | undefined): void {
    this.#sink.end(usage)
  }

  fail(failure: Failure, usage: WireUsage | undefined): void {
    const isFinal =
      this.#isAnswering || failure.reason === 'cancelled' || !this.#hesitation.isWorthAfter(failure)
    if (isFinal) this.#sink.fail(failure, usage)
    else this.#hesitation.again(failure)
  }
}

function unanswered({ status, retryAfter }: WireHead): Failure {
  const told = toldSeconds(secondsIn(retryAfter))
  if (status !== 429) return restingUpstream(told.retryAfterSeconds)
  return new Failure('limit-exceeded', 'the upstream takes no more requests at the moment', told)
}

/** A date is passed over: these upstreams send seconds. */
function secondsIn(header: string | undefined): number | undefined {
  return header !== undefined && /^\d{1,9}$/.test(header) ? Number(header) : undefined
}
