import { CompiledQuery, type Kysely } from 'kysely'
import type { Store, StoreSchema } from '../store/store.ts'
import type { AuditEvent } from '../store/tables-audit.ts'
import { putting } from './ledger-put.ts'
import { textsOf } from './ledger-texts.ts'

/** Puts the events in, and the end of the chain behind them. */
export async function insertEvents(
  db: Kysely<StoreSchema>,
  dialect: Store['dialect'],
  events: readonly AuditEvent[],
): Promise<void> {
  const last = events.at(-1)
  if (last === undefined) return
  await putEvents(db, dialect, events)
  const bytes = events.reduce((total, { body }) => total + Buffer.byteLength(body), 0)
  const values = [last.seq, last.hash, last.created_at, bytes]
  await db.executeQuery(CompiledQuery.raw(updates[dialect], values))
}

const updates = textsOf(
  'update audit_chain set seq = $1, hash = $2, created_at = $3, bytes = bytes + $4 where id = 1',
)

const putEvents = putting<keyof AuditEvent>({
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
