import { setTimeout as delay } from 'node:timers/promises'

/** A task of which one run at most is under way, and whose runs keep their distance. */
export interface PacedTask {
  /** How many runs have begun, and how many have ended. */
  readonly begun: () => number
  readonly ended: () => number
  /** When the last one began; minus infinity before the first. */
  readonly begunAt: () => number
  /** Begins one, unless one is under way or about to begin. */
  readonly start: () => void
  /** Ends with the run under way, or else with the next one; all who wait share it. */
  readonly settle: () => Promise<void>
  readonly close: () => void
}

export interface PacedTaskOptions {
  /** Must not reject. */
  readonly run: () => Promise<void>
  /** Milliseconds between the beginnings of two runs that somebody waits for. */
  readonly spacing: number
  readonly now: () => number
}

export function createPacedTask({ run, spacing, now }: PacedTaskOptions): PacedTask {
  const closing = new AbortController()
  let begun = 0
  let ended = 0
  let begunAt = Number.NEGATIVE_INFINITY
  let underWay: Promise<void> | undefined
  let upcoming: Promise<void> | undefined

  async function begin(): Promise<void> {
    begun += 1
    begunAt = now()
    await run()
    ended += 1
    underWay = undefined
  }

  function start(): void {
    if (upcoming === undefined) underWay ??= begin()
  }

  function settle(): Promise<void> {
    const pause = Math.min(begunAt + spacing - now(), spacing)
    if (upcoming === undefined && pause <= 0) underWay ??= begin()
    if (underWay !== undefined) return underWay
    upcoming ??= beginAfter(pause)
    return upcoming
  }

  async function beginAfter(pause: number): Promise<void> {
    await delay(pause, undefined, { signal: closing.signal }).catch(() => undefined)
    upcoming = undefined
    underWay = begin()
    await underWay
  }

  return {
    begun: () => begun,
    ended: () => ended,
    begunAt: () => begunAt,
    start,
    settle,
    close: () => closing.abort(),
  }
}
