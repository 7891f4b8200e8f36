import type { Charge, Counters, Overrun } from './counters.ts'

export interface MemoryCounters extends Counters {
  readonly charge: (charges: readonly Charge[]) => Overrun | undefined
  readonly size: () => number
}

/** Counters of this process alone. Of more than `capacity` windows the one that was opened first is forgotten. */
export function memoryCounters(now: () => number, capacity = 1_000_000): MemoryCounters {
  const windows = new Map<string, Window>()
  let sweep = windows.entries()

  function longestWait(charges: readonly Charge[], time: number): Overrun | undefined {
    let longest: Overrun | undefined
    let index = 0
    for (const { key, limit } of charges) {
      const window = windows.get(key)
      if (window !== undefined && window.used >= limit && window.endsAt > time) {
        const remainingMs = window.endsAt - time
        if (longest === undefined || remainingMs > longest.remainingMs) longest = { index, remainingMs }
      }
      index += 1
    }
    return longest
  }

  function add({ key, amount, windowMs }: Charge, time: number): void {
    const window = windows.get(key)
    if (window !== undefined && window.endsAt > time) {
      window.used += amount
      return
    }
    // The order of the map stays the order of opening.
    windows.delete(key)
    windows.set(key, { used: amount, endsAt: time + windowMs })
    for (let step = 0; step < sweptPerWindow; step += 1) sweepOne(time)
    if (windows.size > capacity) windows.delete(windows.keys().next().value ?? '')
  }

  /** Each window that opens pays for a look at two others, so those that ended never pile up and no sweep is long. */
  function sweepOne(time: number): void {
    const { value, done } = sweep.next()
    if (done === true) sweep = windows.entries()
    else if (value[1].endsAt <= time) windows.delete(value[0])
  }

  return {
    charge: (charges) => {
      const time = now()
      const over = longestWait(charges, time)
      if (over !== undefined) return over
      for (const charge of charges) if (charge.amount > 0) add(charge, time)
      return undefined
    },
    size: () => windows.size,
    close: async () => windows.clear(),
  }
}

interface Window {
  used: number
  readonly endsAt: number
}

const sweptPerWindow = 2
