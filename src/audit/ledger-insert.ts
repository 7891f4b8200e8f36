import { CompiledQuery, type Kysely } from 'kysely'
import type { Store, StoreSchema } from '../store/store.ts'
import type { AuditEvent } from '../store/tables-audit.ts'
import { type PutRows, putting } from './ledger-put.ts'
import { textsOf } from './ledger-texts.ts'

/** Puts the events in, and the end of the chain behind them. */
export async function insertEvents(
  db: Kysely<StoreSchema>,
  dialect: Store['dialect'],
  events: readonly AuditEvent[],
): Promise<void> {
  const last = events.at(-1)
  if (last === undefined) return
  await putEvents.run(db, dialect, events)
  const values = [last.seq, last.hash, last.created_at, bytesOf(events)]
  await db.executeQuery(CompiledQuery.raw(updates[dialect], values))
}

export function bytesOf(events: readonly AuditEvent[]): number {
  return events.reduce((total, { body }) => total + Buffer.byteLength(body), 0)
}

const updates = textsOf(
  'update audit_chain set seq = $1, hash = $2, created_at = $3, bytes = bytes + $4 where id = 1',
)

export const putEvents: PutRows<keyof AuditEvent> = putting({
  table: 'audit_events',
  columns: [
    ['seq', 'bigint'],
    ['created_at', 'bigint'],
    ['principal', 'text'],
    ['issuer', 'text'],
    ['action', 'text'],
    ['decision', 'text'],
    ['surface', 'text'],
    ['body', 'text'],
    ['hash', 'text'],
  ],
})
