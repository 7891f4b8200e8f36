/** Answers that are held back until their records are on disk; first come, first kept. */
export interface Waiters {
  readonly count: () => number
  /** Kept when everything before this position is. */
  readonly add: (position: number, since: number) => Promise<void>
  readonly keep: (position: number) => void
  /** Breaks the promises that were made at this time or before. */
  readonly breakUntil: (time: number, failure: () => Error) => void
}

interface Waiter {
  readonly position: number
  readonly since: number
  readonly keep: () => void
  readonly break: (error: Error) => void
}

export function createWaiters(): Waiters {
  let waiting: Waiter[] = []

  /** Those that answer to the description stand first. */
  function takeWhile(isMeant: (waiter: Waiter) => boolean): readonly Waiter[] {
    const end = waiting.findIndex((waiter) => !isMeant(waiter))
    const taken = end === -1 ? waiting : waiting.slice(0, end)
    waiting = end === -1 ? [] : waiting.slice(end)
    return taken
  }

  return {
    count: () => waiting.length,
    add: (position, since) =>
      new Promise((keep, reject) => {
        waiting.push({ position, since, keep, break: reject })
      }),
    keep: (position) => {
      for (const waiter of takeWhile((one) => one.position <= position)) waiter.keep()
    },
    breakUntil: (time, failure) => {
      for (const waiter of takeWhile((one) => one.since <= time)) waiter.break(failure())
    },
  }
}
