/** A record that a test keeps or breaks, after it has seen what has gone out by then. */
export interface HeldRecord {
  /** For `onDecision`. */
  readonly recorded: () => Promise<void>
  /** Resolves when a decision was told. */
  readonly told: Promise<void>
  readonly keep: () => void
  readonly break: () => void
}

export function heldRecord(): HeldRecord {
  const told = Promise.withResolvers<void>()
  const kept = Promise.withResolvers<void>()
  return {
    recorded: () => {
      told.resolve()
      return kept.promise
    },
    told: told.promise,
    keep: kept.resolve,
    break: () => kept.reject(new Error('no disk')),
  }
}
