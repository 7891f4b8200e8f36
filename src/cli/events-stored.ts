import { setTimeout } from 'node:timers/promises'
import { type AuditRecord, parseRecord } from '../audit/audit-line.ts'
import type { EventFilters as StoredFilters } from '../audit/event-filters.ts'
import { createEventList, type EventList, type EventPlace, eventSorts } from '../audit/event-list.ts'
import type { ApiClient } from '../client/api/api-client.ts'
import type { AuditEvent, EventFilters } from '../client/api/audit-event.ts'
import type { FollowOptions } from '../client/api/follow-events.ts'
import { Failure } from '../failure/failure.ts'
import type { AuditEvent as EventRow } from '../store/tables-audit.ts'
import { storedWalk } from './stored-walk.ts'
import { readWireTime, wireTime } from './wire-time.ts'
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
        view: wireEvent,
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
    yield* events.map(wireEvent)
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
    from: from === undefined ? undefined : readWireTime(from),
    to: to === undefined ? undefined : readWireTime(to),
  }
}

function wireEvent(row: EventRow): AuditEvent {
  const record = parseRecord(row.body) ?? unreadable(row)
  const { by } = record
  return {
    id: record.id,
    seq: row.seq,
    created_at: wireTime(row.created_at),
    time: wireTime(record.time),
    surface: row.surface,
    action: record.action,
    target: record.target,
    decision: row.decision,
    reason: record.reason,
    status: record.status,
    duration_us: record.durationUs,
    principal: by?.principal ?? null,
    issuer: by?.issuer ?? null,
    client: by?.client ?? null,
    credential: by === null ? null : { kind: by.credential.kind, id: by.credential.id },
    scopes_needed: record.needed,
    scopes_held: by?.held ?? [],
    tokens_in: record.tokensIn ?? null,
    tokens_out: record.tokensOut ?? null,
    count: record.count ?? null,
    request_id: record.requestId,
    revision: record.revision,
    hash: row.hash,
  }
}

/** What somebody did to a row must not hide those around it; `postern events verify` finds it. */
function unreadable({ created_at, surface, action, decision }: EventRow): AuditRecord {
  return {
    id: '',
    time: created_at,
    surface,
    action,
    target: null,
    decision,
    reason: 'unreadable',
    status: 0,
    durationUs: 0,
    needed: [],
    requestId: '',
    revision: '',
    by: null,
  }
}
