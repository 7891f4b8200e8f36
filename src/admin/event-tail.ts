import type { EventFilters } from '../audit/event-filters.ts'
import type { EventList, EventPlace } from '../audit/event-list.ts'
import { eventView } from '../audit/event-view.ts'
import { Failure } from '../failure/failure.ts'
import type { EventSource } from './event-source.ts'

export interface EventTailOptions {
  readonly events: Pick<EventList, 'after' | 'head'>
  readonly filters: EventFilters
  /** The number of the event behind which to begin. */
  readonly after: number
  /** Good for a while only: a reader gets another one now and then. */
  readonly cursorOf: (place: EventPlace) => string
  /** How long the store is left alone when it has nothing new. */
  readonly everyMs?: number
}

/**
 * Asks the store again and again. Numbers have no gaps and follow commits, so nothing comes later behind what was seen.
 * How far it has come it says at the beginning and now and then, also when no event fits: who comes back misses nothing.
 */
export function createEventTail(options: EventTailOptions): EventSource {
  const { events, filters, after, cursorOf, everyMs = 250 } = options
  return async function* tail(signal) {
    let seen = after
    let silent = 0
    yield [{ id: cursorOf({ seq: seen }) }]
    while (!signal.aborted) {
      const head = await events.head()
      if (head < seen) throw new Failure('conflict', 'the record ends before what was read of it')
      const { events: rows, lookedTo } =
        head > seen ? await events.after(seen, { filters, limit: portion }) : nothing
      if (rows.length > 0)
        yield rows.map((row) => ({ id: cursorOf(row), data: JSON.stringify(eventView(row)) }))
      // Everything up to there was looked at, also what the filters left out.
      seen = lookedTo ?? Math.max(head, rows.at(-1)?.seq ?? 0)
      silent = rows.length > 0 ? 0 : silent + 1
      if (silent === mostSilent) {
        silent = 0
        yield [{ id: cursorOf({ seq: seen }) }]
      }
      if (lookedTo === null) await pause(signal, everyMs)
    }
  }
}

const portion = 100
const nothing = { events: [], lookedTo: null } as const
/** Rounds: 15 seconds when nothing happens. */
const mostSilent = 60

function pause(signal: AbortSignal, everyMs: number): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer)
      signal.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, everyMs)
    signal.addEventListener('abort', end)
    if (signal.aborted) end()
  })
}
