/** Something that must be over by a certain time. */
interface Deadline {
  readonly at: number
  readonly expire: () => void
}

export interface Deadlines {
  readonly add: (deadline: Deadline) => void
  readonly remove: (deadline: Deadline) => void
}

/** One timer looks after all calls: a timer for each would cost more than many a call itself. */
export function createDeadlines(now: () => number, sweepMs = 50): Deadlines {
  const waiting = new Set<Deadline>()
  let timer: NodeJS.Timeout | undefined
  function sweep(): void {
    if (waiting.size === 0) {
      clearInterval(timer)
      timer = undefined
    }
    const time = now()
    for (const deadline of waiting) {
      if (deadline.at > time) continue
      waiting.delete(deadline)
      deadline.expire()
    }
  }
  return {
    add: (deadline) => {
      waiting.add(deadline)
      timer ??= setInterval(sweep, sweepMs).unref()
    },
    remove: (deadline) => {
      waiting.delete(deadline)
    },
  }
}
