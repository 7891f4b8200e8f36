import type { Kysely } from 'kysely'
import { Failure } from '../failure/failure.ts'
import type { Store, StoreSchema } from '../store/store.ts'
import type { AuditChain, AuditEvent } from '../store/tables-audit.ts'
import { linkFault } from './chain-link.ts'
import { lockChain } from './ledger-chain.ts'
import { bytesOf } from './ledger-insert.ts'
import { clocksDiffer, recordedTimes } from './recorded-time.ts'
import { type TrimOptions, trimOthers } from './trim-others.ts'

/**
 * Removes what retention does not keep, a little at a time, so that nobody waits long. The chain stays verifiable: it
 * remembers the last event that was removed. A broken chain is left as it is, because removing its break would hide it;
 * everything else is removed also then.
 */
export async function trim(store: Store, options: TrimOptions): Promise<{ readonly events: number }> {
  let events = 0
  try {
    for (let removed = chunk; removed === chunk; events += removed) removed = await trimEvents(store, options)
  } finally {
    await trimOthers(store, options)
  }
  return { events }
}

const chunk = 500

function trimEvents({ db, dialect }: Store, options: TrimOptions): Promise<number> {
  return db.transaction().execute(async (transaction) => {
    const chain = await lockChain(transaction, dialect)
    const removed = removable(chain, await oldest(transaction, chain, options), options)
    const last = removed.at(-1)
    if (last === undefined) return 0
    await transaction.deleteFrom('audit_events').where('seq', '<=', last.seq).execute()
    await transaction
      .updateTable('audit_chain')
      .set({ trimmed_seq: last.seq, trimmed_hash: last.hash, bytes: chain.bytes - bytesOf(removed) })
      .where('id', '=', 1)
      .execute()
    return removed.length
  })
}

interface Dated {
  readonly event: AuditEvent
  readonly recordedAt: number
}

async function oldest(
  db: Kysely<StoreSchema>,
  { trimmed_seq }: AuditChain,
  { olderThan = 0, now }: TrimOptions,
): Promise<readonly Dated[]> {
  const events = await db
    .selectFrom('audit_events')
    .selectAll()
    .where('seq', '>', trimmed_seq)
    .orderBy('seq')
    .limit(chunk)
    .execute()
  const times = await recordedTimes(db, events, Math.max(olderThan, now() + clocksDiffer))
  return events.map((event, index) => ({ event, recordedAt: times[index] ?? event.created_at }))
}

function removable(
  chain: AuditChain,
  events: readonly Dated[],
  { olderThan = 0, mostBytes = Number.POSITIVE_INFINITY }: TrimOptions,
): readonly AuditEvent[] {
  let previous = { seq: chain.trimmed_seq, hash: chain.trimmed_hash }
  let { bytes } = chain
  const removed: AuditEvent[] = []
  for (const { event, recordedAt } of events) {
    if (recordedAt >= olderThan && bytes <= mostBytes) break
    const fault = linkFault(previous, event)
    if (fault !== undefined) {
      const wrong = `event ${fault.at} of the record is not as it was written (${fault.what}); nothing is removed from there on: run postern events verify`
      throw new Failure('conflict', wrong, { reason: 'chain_broken' })
    }
    removed.push(event)
    bytes -= Buffer.byteLength(event.body)
    previous = event
  }
  return removed
}
