import { setImmediate } from 'node:timers/promises'
import { CompiledQuery } from 'kysely'
import type { Statement } from '../paging/sql-writer.ts'
import type { Store } from '../store/store.ts'
import type { AuditEvent } from '../store/tables-audit.ts'
import { heldFilters, splitFilters } from './event-filters.ts'
import { type EventsWanted, eventStatement, issuerStatement, placeStatement } from './event-statement.ts'

export interface EventsRead {
  readonly events: readonly AuditEvent[]
  /** The number up to which all were looked at, where others may follow; null when none do. */
  readonly lookedTo: number | null
}

/** How many events are looked at for one page, however few of them fit. */
export const lookedAtMost = 10_000

/**
 * One index serves one filter; the others are asked of each event on the way, of a bounded number of them. SQLite reads in
 * the thread of the requests, so these get their turn now and then.
 */
export async function readEvents(store: Store, asked: EventsWanted): Promise<EventsRead> {
  const wanted = { ...asked, filters: heldFilters(asked.filters) }
  const events: AuditEvent[] = []
  let { after } = wanted
  for (let looked = 0; looked < lookedAtMost; looked += portion) {
    const part = await readPortion(store, { ...wanted, after, limit: wanted.limit - events.length })
    events.push(...part.events)
    if (events.length === wanted.limit) return { events, lookedTo: events.at(-1)?.seq ?? null }
    if (part.lookedTo === null) return { events, lookedTo: null }
    after = part.lookedTo
    await setImmediate()
  }
  return { events, lookedTo: after }
}

const portion = 2000

async function readPortion(store: Store, wanted: EventsWanted): Promise<EventsRead> {
  const parts = await partsOf(store, wanted)
  const sign = wanted.direction === 'ascending' ? 1 : -1
  const until = (await placesIn(store, parts)).toSorted((one, other) => sign * (one - other))[0]
  const lists = await Promise.all(
    parts.map((part) =>
      run<AuditEvent>(store, eventStatement(store.dialect, { ...part, until, looks: portion })),
    ),
  )
  const merged = lists.flat().toSorted((one, other) => sign * (one.seq - other.seq))
  return { events: merged.slice(0, wanted.limit), lookedTo: until ?? null }
}

/**
 * One index serves those who ask for a principal of one issuer and those who do not say of which: for these, the lists of
 * the few issuers that have a principal of that name are merged, all as they were at one moment.
 */
async function partsOf(store: Store, wanted: EventsWanted): Promise<readonly EventsWanted[]> {
  const { principal, issuer } = wanted.filters
  if (principal === undefined || issuer !== undefined) return [wanted]
  const found = await run<Found>(store, issuerStatement(store.dialect, principal))
  return found.map(({ issuer, head }) => ({ ...wanted, filters: { ...wanted.filters, issuer }, upTo: head }))
}

interface Found {
  readonly issuer: string
  readonly head: number
}

/** Where the portion of each list ends that has more; where the index answers all that is asked, none has to. */
async function placesIn(store: Store, parts: readonly EventsWanted[]): Promise<readonly number[]> {
  const count = Math.max(1, Math.floor(portion / parts.length))
  const sifted = parts.filter(({ filters }) => splitFilters(filters).others.length > 0)
  const places = await Promise.all(
    sifted.map((part) => run<{ readonly seq: number }>(store, placeStatement(store.dialect, part, count))),
  )
  return places.flat().map(({ seq }) => seq)
}

async function run<Row>(store: Store, { sql, params }: Statement): Promise<readonly Row[]> {
  const query: CompiledQuery<Row> = CompiledQuery.raw(sql, [...params])
  return (await store.db.executeQuery(query)).rows
}
