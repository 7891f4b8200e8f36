import { Failure } from '../failure/failure.ts'
import type { Page } from '../paging/page.ts'
import type { PageRequest } from '../paging/page-request.ts'
import type { Pager } from '../paging/pager.ts'
import type { Sort } from '../paging/sort.ts'
import type { Store } from '../store/store.ts'
import type { AuditEvent } from '../store/tables-audit.ts'
import type { EventFilters } from './event-filters.ts'
import { type EventsRead, readEvents } from './event-reading.ts'

export type EventPlace = Pick<AuditEvent, 'seq'>

export interface EventList {
  readonly list: (list: {
    readonly pager: Pager<EventPlace>
    readonly request: PageRequest
    readonly filters?: EventFilters
  }) => Promise<Page<AuditEvent>>
  /** What follows the event of this number, oldest first; 0 for the beginning. Where few fit, it may be none although others follow. */
  readonly after: (
    seq: number,
    options: { readonly filters?: EventFilters; readonly limit: number },
  ) => Promise<EventsRead>
  /** The number of the last event; 0 when there is none. */
  readonly head: () => Promise<number>
}

export const eventSorts: { readonly newest: Sort<'seq'>; readonly oldest: Sort<'seq'> } = {
  newest: [{ column: 'seq', type: 'integer', direction: 'descending', unique: true }],
  oldest: [{ column: 'seq', type: 'integer', direction: 'ascending', unique: true }],
}

export function createEventList(store: Store): EventList {
  return {
    list: async ({ pager, request, filters = {} }) => {
      const { order, after, take } = pager.plan(request)
      const direction = order[0]?.direction ?? 'descending'
      const place = after === null ? null : placeOf(after)
      const read = await readEvents(store, { filters, direction, after: place, limit: take })
      const items = read.events.slice(0, request.limit)
      const page = pager.finishSifted<EventPlace>(request, {
        items,
        more: read.lookedTo !== null,
        first: items[0] ?? behind(place, direction),
        last: lastOf(read, request.limit),
      })
      return { ...page, items: request.backward ? items.toReversed() : items }
    },
    after: (seq, { filters = {}, limit }) =>
      readEvents(store, { filters, direction: 'ascending', after: seq, limit }),
    head: async () => {
      const chain = await store.db.selectFrom('audit_chain').select('seq').executeTakeFirst()
      return chain?.seq ?? 0
    },
  }
}

/** From here back lies the event that the page came from, also when the page is empty. */
function behind(place: number | null, direction: 'ascending' | 'descending'): EventPlace | undefined {
  return place === null ? undefined : { seq: direction === 'ascending' ? place + 1 : place - 1 }
}

/** Where more than a page was found, the rest is for the next one. */
function lastOf({ events, lookedTo }: EventsRead, limit: number): EventPlace | undefined {
  if (events.length > limit || lookedTo === null) return events.slice(0, limit).at(-1)
  return { seq: lookedTo }
}

function placeOf([seq]: readonly unknown[]): number {
  const place = Number(seq)
  if (Number.isSafeInteger(place)) return place
  throw new Failure('internal', 'the place of an event is its number')
}
