import type { Config } from '../config/config-schema.ts'
import { Failure } from '../failure/failure.ts'
import { createChargeBook, type LimitedPrincipal, type WordedCharge } from './charge-book.ts'
import type { Counters, Overrun } from './counters.ts'
import { type LimitTarget, limitRules } from './limit-rules.ts'

export interface LimiterOptions {
  readonly settings: Config['limits']
  /** Closed with the limiter. */
  readonly counters: Counters
}

/** Whether a caller may call now. A promise where the counters are kept elsewhere; what is over a limit throws or rejects. */
export interface Limiter {
  /** Once for each request, with the target where it is known. */
  readonly request: (principal: LimitedPrincipal, target?: LimitTarget) => Promise<void> | undefined
  /** For a target that is known only after the request was counted. */
  readonly target: (principal: LimitedPrincipal, target: LimitTarget) => Promise<void> | undefined
  /** The tokens that a call has used. Those of calls under way are not counted yet, so a limit of tokens may be overrun by as much. */
  readonly spend: (principal: LimitedPrincipal, target: LimitTarget | undefined, tokens: number) => void
  readonly close: () => Promise<void>
}

export function createLimiter({ settings, counters }: LimiterOptions): Limiter {
  const rulesFor = limitRules(settings)
  const chargesFor = createChargeBook()

  function admit(charges: readonly WordedCharge[]): Promise<void> | undefined {
    if (charges.length === 0) return undefined
    const answer = counters.charge(charges)
    if (answer instanceof Promise)
      return answer.then(
        (over) => refuseOver(charges, over),
        (cause) => uncounted(settings.whenSharedFails, cause),
      )
    refuseOver(charges, answer)
    return undefined
  }

  return {
    request: (principal, target) => admit(chargesFor(principal, rulesFor(target)).request),
    target: (principal, target) => admit(chargesFor(principal, rulesFor(target)).target),
    spend: (principal, target, tokens) => {
      const charges = chargesFor(principal, rulesFor(target)).spend(Math.ceil(tokens))
      if (charges.length === 0 || !(tokens > 0) || !Number.isSafeInteger(Math.ceil(tokens))) return
      const answer = counters.charge(charges)
      // The counters have logged it.
      if (answer instanceof Promise) answer.catch(() => undefined)
    },
    close: () => counters.close(),
  }
}

function refuseOver(charges: readonly WordedCharge[], over: Overrun | undefined): void {
  if (over === undefined) return
  const seconds = Math.max(1, Math.ceil(over.remainingMs / 1000))
  const words = charges[over.index]?.words ?? 'calls'
  throw new Failure('limit-exceeded', `the limit of ${words} is reached; try again in ${inWords(seconds)}`, {
    reason: 'quota',
    retryAfterSeconds: seconds,
  })
}

function uncounted(whenSharedFails: 'allow' | 'refuse', cause: unknown): void {
  if (whenSharedFails === 'allow') return
  throw new Failure('unavailable', 'limits cannot be counted at the moment; try again in a few seconds', {
    reason: 'limits_unavailable',
    retryAfterSeconds: 2,
    cause,
  })
}

/** Rounded up, so that nobody comes back too early. */
function inWords(seconds: number): string {
  const [size, unit] = seconds < 120 ? [1, 'second'] : seconds < 7200 ? [60, 'minute'] : [3600, 'hour']
  const count = Math.ceil(seconds / Number(size))
  return `${count} ${unit}${count === 1 ? '' : 's'}`
}
