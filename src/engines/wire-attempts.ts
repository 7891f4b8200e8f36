import type { Failure } from '../failure/failure.ts'
import type { WireHead, WireSink } from './engine.ts'
import { type Hesitation, hesitate, mayBeBetter } from './hesitate.ts'
import type { Presence } from './presence.ts'
import { longestWaitMs, type Random, retryWaitMs } from './retry-wait.ts'
import { cancelledCall, restingUpstream } from './wire-failures.ts'
import type { WireOrder, WireUpstream } from './wire-upstream.ts'

export interface WireAttempt {
  readonly upstream: Pick<WireUpstream, 'send' | 'mayTry' | 'restSeconds'>
  readonly order: WireOrder
}

export interface RetryRules {
  /** How often it is tried again after the first time. */
  readonly retries: number
  readonly random?: Random
}

/** Tries until an answer begins; never again after its first byte. */
export function tryRepeatedly(attempt: WireAttempt, rules: RetryRules, sink: WireSink): void {
  new Repetition(attempt, rules, sink).next()
}

class Repetition implements Hesitation {
  readonly #attempt: WireAttempt
  readonly #rules: RetryRules
  readonly #sink: WireSink
  #tried = 0
  #askedWaitMs = 0

  constructor(attempt: WireAttempt, rules: RetryRules, sink: WireSink) {
    this.#attempt = attempt
    this.#rules = rules
    this.#sink = sink
  }

  next(last?: Failure): void {
    const { upstream, order } = this.#attempt
    if (order.caller.isGone) this.#sink.fail(cancelledCall(), undefined)
    else if (!upstream.mayTry()) this.#sink.fail(last ?? restingUpstream(upstream.restSeconds()), undefined)
    else upstream.send(order, this.#tried === this.#rules.retries ? this.#sink : hesitate(this.#sink, this))
  }

  isWorth({ status, retryAfter }: WireHead): boolean {
    if (!mayBeBetter.has(status)) return false
    this.#askedWaitMs = retryAfter === undefined ? 0 : Number(retryAfter) * 1000
    // Who names a date asks for more time, too.
    return this.#askedWaitMs <= longestWaitMs
  }

  /** The answer to a call that only took too long is under way, and paid for. */
  isWorthAfter({ reason }: Failure): boolean {
    return reason === 'upstream_failed'
  }

  again(failure: Failure): void {
    const waitMs = retryWaitMs(this.#tried, this.#askedWaitMs, this.#rules.random)
    this.#tried += 1
    this.#askedWaitMs = 0
    wait(waitMs, this.#attempt.order.caller, () => this.next(failure))
  }
}

/** Until the time is over or the caller has gone. */
function wait(ms: number, caller: Presence, then: () => void): void {
  const over = (): void => {
    clearTimeout(timer)
    caller.forget()
    then()
  }
  const timer = setTimeout(over, ms)
  caller.listen(over)
}
