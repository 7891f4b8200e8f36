import { setTimeout } from 'node:timers/promises'
import type { EventFilters as StoredFilters } from '../audit/event-filters.ts'
import { createEventList, type EventList, type EventPlace, eventSorts } from '../audit/event-list.ts'
import { eventView } from '../audit/event-view.ts'
import type { ApiClient } from '../client/api/api-client.ts'
import type { AuditEvent, EventFilters } from '../client/api/audit-event.ts'
import type { FollowOptions } from '../client/api/follow-events.ts'
import { Failure } from '../failure/failure.ts'
import type { AuditEvent as EventRow } from '../store/tables-audit.ts'
import { readTimestamp } from '../store/timestamp.ts'
import { storedWalk } from './stored-walk.ts'
import type { OpenedStore } from './with-store.ts'

export interface EventPart extends Pick<ApiClient, 'events'> {
  readonly followEvents: (options: FollowOptions) => AsyncIterable<AuditEvent>
}

/** The record of decisions, without a gateway. */
export function storedEvents({ store }: Pick<OpenedStore, 'store'>): EventPart {
  const kept = createEventList(store)
  return {
    events: storedList(kept),
    followEvents: ({ signal, ...filters }) => tail(kept, storedFilters(filters), signal),
  }
}

function storedList({ list }: EventList): ApiClient['events'] {
  return (options = {}) => {
    const filters = storedFilters(options)
    const context = { sort: options.order ?? 'newest', filters }
    return storedWalk<EventPlace, EventRow, AuditEvent>(
      {
        id: 'events',
        sorts: eventSorts,
        context,
        read: (order) => list({ ...order, filters }),
        view: eventView,
      },
      options,
    )
  }
}

/** Asks the store again and again: numbers have no gaps and follow commits, so nothing comes later behind what was seen. */
async function* tail(
  { after, head }: EventList,
  filters: StoredFilters,
  signal: AbortSignal | undefined,
): AsyncGenerator<AuditEvent, void, undefined> {
  let seen = await head()
  while (signal?.aborted !== true) {
    const end = await head()
    const { events, lookedTo } = end > seen ? await after(seen, { filters, limit: portion }) : nothing
    yield* events.map(eventView)
    // Null when everything up to the end was looked at, also what the filters left out.
    seen = lookedTo ?? Math.max(end, events.at(-1)?.seq ?? seen)
    if (lookedTo === null) await setTimeout(everyMs, undefined, { signal }).catch(() => {})
  }
}

const nothing = { events: [], lookedTo: null } as const

const portion = 100
const everyMs = 250

function storedFilters(given: EventFilters): StoredFilters {
  const { principal, issuer, action, decision, surface, from, to } = given
  if (issuer !== undefined && principal === undefined)
    throw new Failure('invalid-request', '--issuer is understood only beside --principal')
  return {
    principal,
    issuer,
    action,
    decision,
    surface: surface === 'tools' || surface === 'models' || surface === 'api' ? surface : undefined,
    from: from === undefined ? undefined : readTimestamp(from),
    to: to === undefined ? undefined : readTimestamp(to),
  }
}
