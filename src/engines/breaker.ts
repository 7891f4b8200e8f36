/** Keeps calls away from an upstream that fails again and again. */
export interface Breaker {
  /** False for a while after too many failures in a row; then one call at a time tries. */
  readonly mayTry: () => boolean
  /** Until it may be tried again, in seconds. */
  readonly restSeconds: () => number
  readonly failed: () => void
  /** An answer has begun: others may come again, but the next failure is one too many. */
  readonly answering: () => void
  readonly succeeded: () => void
}

/** `now` in milliseconds that never step. */
export function createBreaker(now: () => number): Breaker {
  let failures = 0
  let restsUntil = 0
  return {
    mayTry: () => {
      if (failures < mostFailures) return true
      if (now() < restsUntil) return false
      restsUntil = now() + restMs
      return true
    },
    restSeconds: () => (failures < mostFailures ? 0 : Math.max(0, restsUntil - now()) / 1000),
    failed: () => {
      failures += 1
      if (failures >= mostFailures) restsUntil = now() + restMs
    },
    answering: () => {
      failures = Math.min(failures, mostFailures - 1)
    },
    succeeded: () => {
      failures = 0
    },
  }
}

/** Whether a status says that an upstream is unwell; who cannot do a thing at all (501) does the others as well as ever. */
export function isBreakdown(status: number): boolean {
  return status >= 500 && status !== 501
}

const mostFailures = 5
const restMs = 5000
