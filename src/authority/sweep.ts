import { sql } from 'kysely'
import type { Log } from '../log/log.ts'
import type { Clock } from '../store/clock.ts'
import type { Store } from '../store/store.ts'
import { throttleMemory } from './failure-count.ts'
import { retiredLife } from './key-ring.ts'

export interface Sweep {
  readonly stop: () => Promise<void>
}

export interface SweepOptions {
  readonly store: Store
  readonly now: Clock
  readonly log: Log
}

/** Deletes what has expired, again and again, without keeping the process alive. */
export function startSweep(options: SweepOptions): Sweep {
  let isStopped = false
  let underway = Promise.resolve()
  const timer = setInterval(() => {
    underway = underway.then(() => (isStopped ? undefined : run(options)))
  }, spacing)
  timer.unref()
  return {
    stop: () => {
      isStopped = true
      clearInterval(timer)
      return underway
    },
  }
}

/** Says how many records it deleted. */
export async function sweepExpired(store: Store, now: Clock): Promise<number> {
  const time = now()
  let total = 0
  for (let deleted = batch; deleted === batch; total += deleted) deleted = await deleteBatch(store, time)
  await store.db
    .deleteFrom('authority_keys')
    .where('published_until', '<=', time - retiredLife)
    .execute()
  await store.db
    .deleteFrom('authority_throttles')
    .where('last_failed_at', '<', time - throttleMemory)
    .execute()
  return total
}

const spacing = 60_000
/** Small, so that nobody waits long for the one writer of SQLite. */
const batch = 500

async function run({ store, now, log }: SweepOptions): Promise<void> {
  try {
    const deleted = await sweepExpired(store, now)
    if (deleted > 0) log.debug({ deleted }, 'deleted expired records of the authority')
  } catch (error) {
    log.warn({ err: error }, 'expired records of the authority were not deleted; it is tried again')
  }
}

/** Several instances sweep at once: on Postgres each takes rows that no other one is at. */
async function deleteBatch({ db, dialect }: Store, time: number): Promise<number> {
  const others = dialect === 'postgres' ? sql`for update skip locked` : sql``
  const { numAffectedRows } = await sql`delete from authority_records where (kind, id) in
    (select kind, id from authority_records where expires_at <= ${time} limit ${batch} ${others})`.execute(db)
  return Number(numAffectedRows ?? 0)
}
