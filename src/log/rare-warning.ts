import type { Log } from './log.ts'

export type RareWarning = (message: string, error: unknown) => void

/** For faults that may come with every request: each kind is logged once a minute. */
export function createRareWarning(log: Log, now: () => number): RareWarning {
  const toldAt = new Map<string, number>()
  return (message, error) => {
    const kind = `${message} ${error instanceof Error ? error.name : typeof error}`
    const last = toldAt.get(kind)
    if (last !== undefined && now() - last < spacingMs) return
    if (toldAt.size >= mostKinds) toldAt.clear()
    toldAt.set(kind, now())
    log.error({ err: error }, message)
  }
}

const spacingMs = 60_000
const mostKinds = 100
