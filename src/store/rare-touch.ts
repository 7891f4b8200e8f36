import type { Clock } from './clock.ts'

export interface Touch {
  readonly id: string
  /** Microseconds since 1970. */
  readonly time: number
  /** A use noted after this is recent enough: another process wrote it. */
  readonly before: number
}

/** Notes that something was used; undefined when it was noted a moment ago and there is nothing to wait for. */
export type RareTouch = (id: string) => Promise<void> | undefined

/** At most one write a minute for each id: the memory spares most of them, `before` those after another process. */
export function createRareTouch(now: Clock, write: (touch: Touch) => Promise<unknown>): RareTouch {
  const touched = new Map<string, number>()
  return (id) => {
    const time = now()
    const elapsed = time - (touched.get(id) ?? Number.NEGATIVE_INFINITY)
    if (elapsed >= 0 && elapsed < spacing) return undefined
    remember(touched, id, time)
    return write({ id, time, before: time - spacing }).then(ignoreResult)
  }
}

/** In microseconds. */
const spacing = 60_000_000
const mostRemembered = 10_000

/** The first of the map is the one that was touched longest ago. */
function remember(touched: Map<string, number>, id: string, time: number): void {
  touched.delete(id)
  const [oldest] = touched.size >= mostRemembered ? touched.keys() : []
  if (oldest !== undefined) touched.delete(oldest)
  touched.set(id, time)
}

function ignoreResult(): void {}
