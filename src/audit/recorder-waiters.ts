/** Answers that are held back until their records are on disk; first come, first kept. */
export interface Waiters {
  /** How many answers are held back. */
  readonly count: () => number
  readonly add: (waiter: Waiter) => void
  /** Keeps the promises up to this position. */
  readonly keep: (position: number) => void
  /** Breaks the promises that were made at this time or before. */
  readonly breakUntil: (time: number, failure: () => Error) => void
}

/** Answers that wait for one position. */
interface Waiter {
  readonly position: number
  readonly since: number
  readonly count: number
  readonly keep: () => void
  readonly refuse: (error: Error) => void
}

export function createWaiters(): Waiters {
  let waiting: Waiter[] = []
  let count = 0

  /** Those that answer to the description stand first. */
  function takeWhile(isMeant: (waiter: Waiter) => boolean): readonly Waiter[] {
    const end = waiting.findIndex((waiter) => !isMeant(waiter))
    const taken = end === -1 ? waiting : waiting.slice(0, end)
    waiting = end === -1 ? [] : waiting.slice(end)
    for (const waiter of taken) count -= waiter.count
    return taken
  }

  return {
    count: () => count,
    add: (waiter) => {
      waiting.push(waiter)
      count += waiter.count
    },
    keep: (position) => {
      for (const waiter of takeWhile((one) => one.position <= position)) waiter.keep()
    },
    breakUntil: (time, failure) => {
      for (const waiter of takeWhile((one) => one.since <= time)) waiter.refuse(failure())
    },
  }
}
