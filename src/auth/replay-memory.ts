export interface ReplayMemory {
  /** False when the id was there before. Throws nothing away before `window` has passed; `full` once it holds too many. */
  readonly admit: (id: string, now: number) => 'new' | 'seen' | 'full'
}

/** Remembers ids for at least `window` milliseconds, and at most `capacity` of them. */
export function createReplayMemory(window: number, capacity: number): ReplayMemory {
  let current = new Set<string>()
  let previous = new Set<string>()
  let startedAt = Number.NEGATIVE_INFINITY

  function turn(now: number): void {
    const age = now - startedAt
    if (age < window) return
    previous = age < 2 * window ? current : new Set()
    current = new Set()
    startedAt = now
  }

  return {
    admit: (id, now) => {
      turn(now)
      if (current.has(id) || previous.has(id)) return 'seen'
      if (current.size + previous.size >= capacity) return 'full'
      current.add(id)
      return 'new'
    },
  }
}
