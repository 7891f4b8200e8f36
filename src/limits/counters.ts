/** What one rule takes of one caller's window. */
export interface Charge {
  readonly key: string
  /** Refused when this much is used already. */
  readonly limit: number
  /** What the call adds; `0` only asks. */
  readonly amount: number
  /** How long the window lasts that the first charge opens. */
  readonly windowMs: number
}

/** Which of the charges is over its limit, and for how long; of several, the one with the longest wait. */
export interface Overrun {
  readonly index: number
  readonly remainingMs: number
}

/** All charges of a call are made, or none; a promise where the counters are kept elsewhere, broken when they are out of reach. */
export interface Counters {
  readonly charge: (charges: readonly Charge[]) => Promise<Overrun | undefined> | Overrun | undefined
  readonly close: () => Promise<void>
}

/** For a charge that is made in any case. */
export const unlimited: number = Number.MAX_SAFE_INTEGER
