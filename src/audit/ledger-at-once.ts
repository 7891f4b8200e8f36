import { CompiledQuery, type Kysely } from 'kysely'
import type { StoreSchema } from '../store/store.ts'
import type { AuditChain, AuditEvent, UsageHour } from '../store/tables-audit.ts'
import { bytesOf, putEvents } from './ledger-insert.ts'
import { putSessions, type SessionRow } from './ledger-sessions.ts'
import { putUsage } from './ledger-usage.ts'

/** Where the chain ended when this process last looked. */
export type ChainEnd = Pick<AuditChain, 'seq' | 'hash' | 'created_at'>

/** Everything that one batch changes. */
export interface WholeBatch {
  readonly spool: string
  readonly from: number
  readonly position: number
  readonly events: readonly AuditEvent[]
  readonly sessions: readonly SessionRow[]
  readonly usage: readonly UsageHour[]
}

/**
 * Postgres: the whole batch in one statement, which is one journey and one commit instead of eight journeys. It changes
 * nothing, and the answer is false, unless the chain still ends there and the spool is where the batch begins: then whoever
 * calls takes the lock and looks again.
 */
export async function appendAtOnce(
  db: Kysely<StoreSchema>,
  end: ChainEnd,
  batch: WholeBatch,
): Promise<boolean> {
  const last = batch.events.at(-1)
  if (last === undefined) return false
  const query: CompiledQuery<{ readonly stored: number }> = CompiledQuery.raw(statement, [
    last.seq,
    last.hash,
    last.created_at,
    bytesOf(batch.events),
    end.seq,
    end.hash,
    batch.spool,
    batch.position,
    batch.from,
    ...putEvents.values(batch.events),
    ...putSessions.values(batch.sessions),
    ...putUsage.values(batch.usage),
  ])
  try {
    const [row] = (await db.executeQuery(query)).rows
    return row?.stored === 1
  } catch (error) {
    if (isDivisionByZero(error)) return false
    throw error
  }
}

/** Rows are inserted only if the chain could be moved; a chain that was moved for a spool that is elsewhere undoes all of it. */
const statement = `with moved as (
    update audit_chain set seq = $1, hash = $2, created_at = $3, bytes = bytes + $4
    where id = 1 and seq = $5 and hash = $6 returning 1
  ), claimed as (
    update audit_spools set position = $8, updated_at = $3
    where id = $7 and position = $9 and exists (select from moved) returning 1
  ), events as (${putEvents.part(10, 'exists (select from moved)')}
  ), opened as (${putSessions.part(19, 'exists (select from moved)')}
  ), used as (${putUsage.part(35, 'exists (select from moved)')}
  )
  select case when exists (select from moved) then 1 / (select count(*) from claimed) else 0 end as stored,
    case when current_setting('synchronous_commit') = 'off'
      then set_config('synchronous_commit', 'on', true) end as durable`

function isDivisionByZero(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === '22012'
}
