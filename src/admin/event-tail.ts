import type { EventFilters } from '../audit/event-filters.ts'
import type { EventList } from '../audit/event-list.ts'
import { eventView } from '../audit/event-view.ts'
import type { AuditEvent } from '../store/tables-audit.ts'
import type { EventSource } from './event-source.ts'

export interface EventTailOptions {
  readonly events: Pick<EventList, 'after' | 'head'>
  readonly filters: EventFilters
  /** The number of the event behind which to begin. */
  readonly after: number
  readonly cursorOf: (row: AuditEvent) => string
}

/** Asks the store again and again. Numbers have no gaps and follow commits, so nothing comes later behind what was seen. */
export function createEventTail({ events, filters, after, cursorOf }: EventTailOptions): EventSource {
  return async function* tail(signal) {
    let seen = after
    while (!signal.aborted) {
      const head = await events.head()
      const { events: rows, lookedTo } =
        head > seen ? await events.after(seen, { filters, limit: portion }) : nothing
      if (rows.length > 0)
        yield rows.map((row) => ({ id: cursorOf(row), data: JSON.stringify(eventView(row)) }))
      if (lookedTo !== null) {
        seen = lookedTo
        continue
      }
      // Everything up to there was looked at, also what the filters left out.
      seen = Math.max(head, seen, rows.at(-1)?.seq ?? 0)
      await pause(signal)
    }
  }
}

const portion = 100
const nothing = { events: [], lookedTo: null } as const
const everyMs = 250

function pause(signal: AbortSignal): Promise<void> {
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
