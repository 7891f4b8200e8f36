/** Does a little work and answers whether all of it is done. */
export type Task = () => boolean

export interface Schedule {
  /** A light task begins at once; others wait until fewer than `running` of them take turns. */
  readonly start: (id: number, entry: TaskEntry) => void
  readonly stop: (id: number) => void
}

export interface TaskEntry {
  readonly open: () => Task
  readonly isLight: boolean
  /** Called once, when the task is done or has thrown. */
  readonly settle: (error?: unknown) => void
}

/** Takes turns, one step each; `later` lets messages in between two steps. */
export function createSchedule(running: number, later: (run: () => void) => void): Schedule {
  const waiting = new Map<number, TaskEntry>()
  const turns = new Map<number, TaskEntry & { task?: Task }>()
  let isBusy = false

  function admit(): void {
    for (const [id, entry] of waiting) {
      if (!entry.isLight && heavyCount() >= running) continue
      waiting.delete(id)
      turns.set(id, entry)
    }
  }

  function heavyCount(): number {
    return [...turns.values()].filter(({ isLight }) => !isLight).length
  }

  function turn(): void {
    admit()
    const [next] = turns
    if (next === undefined) {
      isBusy = false
      return
    }
    const [id, entry] = next
    turns.delete(id)
    try {
      entry.task ??= entry.open()
      if (entry.task()) entry.settle()
      else turns.set(id, entry)
    } catch (error) {
      entry.settle(error)
    }
    later(turn)
  }

  return {
    start: (id, entry) => {
      waiting.set(id, entry)
      if (isBusy) return
      isBusy = true
      later(turn)
    },
    stop: (id) => {
      waiting.delete(id)
      turns.delete(id)
    },
  }
}
