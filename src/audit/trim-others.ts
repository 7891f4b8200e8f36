import { type RawBuilder, sql } from 'kysely'
import type { Clock } from '../store/clock.ts'
import type { Store } from '../store/store.ts'
import { lockChain } from './ledger-chain.ts'

export interface TrimOptions {
  /** Events recorded before this are removed, and sessions idle since then; in microseconds. */
  readonly olderThan?: number | undefined
  /** The oldest events are removed until the rest has at most so many bytes. */
  readonly mostBytes?: number | undefined
  readonly now: Clock
}

/** Sessions that were idle for as long as events are kept, usage of years ago, and revocations of what has ended by itself. */
export async function trimOthers(store: Store, { olderThan = 0, now }: TrimOptions): Promise<void> {
  const time = now()
  // A session is never seen before it begins, so the index of the list leads to all that may have gone.
  await removeAll(
    store,
    sql`delete from sessions where id in (
    select id from sessions where created_at < ${olderThan} and last_seen_at < ${olderThan}
    order by created_at, id limit ${chunk})`,
  )
  await removeAll(
    store,
    sql`delete from usage_hours where (hour, surface, issuer, principal, target) in (
    select hour, surface, issuer, principal, target from usage_hours where hour < ${time - usageKept}
    order by hour, surface, issuer, principal, target limit ${chunk})`,
  )
  await removeAll(
    store,
    sql`delete from revoked_credentials where credential in (
    select credential from revoked_credentials where expires_at < ${time - endedKept} limit ${chunk})`,
  )
}

const chunk = 500
const usageKept = 2 * 366 * 86_400_000_000
/** Clocks differ, and who reads revocations keeps them for a while as well. */
const endedKept = 86_400_000_000

async function removeAll({ db, dialect }: Store, statement: RawBuilder<unknown>): Promise<void> {
  for (let removed = 1n; removed > 0n; )
    removed = await db.transaction().execute(async (transaction) => {
      await lockChain(transaction, dialect)
      return (await statement.execute(transaction)).numAffectedRows ?? 0n
    })
}
