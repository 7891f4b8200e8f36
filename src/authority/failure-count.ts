import type { Store } from '../store/store.ts'

/** What failures are counted of, and how many are free. */
export interface FailureLimit {
  /** A digest, because people type their password into the field of the login, too. */
  readonly subject: string
  /** How many failures are free. */
  readonly free: number
  /** In microseconds. */
  readonly longestWait: number
}

export const second = 1_000_000
/** Failures that are older are forgotten, in microseconds. */
export const throttleMemory: number = 86_400 * second

export interface FailureCount {
  /** Microseconds to wait: then nothing was counted. */
  readonly wait: number
  /** How many there are with this one. */
  readonly failures: number
}

/** The row stays locked from the count to the new block. */
export async function countFailure(
  store: Store,
  { subject, free, longestWait }: FailureLimit,
  at: number,
): Promise<FailureCount> {
  return store.db.transaction().execute(async (db) => {
    const counted = await db
      .insertInto('authority_throttles')
      .values({ subject, failures: 1, last_failed_at: at, blocked_until: 0 })
      .onConflict((conflict) =>
        conflict
          .column('subject')
          .doUpdateSet((row) => ({
            failures: row
              .case()
              .when('authority_throttles.last_failed_at', '<', at - throttleMemory)
              .then(1)
              .else(row('authority_throttles.failures', '+', 1))
              .end(),
            last_failed_at: at,
          }))
          .where('authority_throttles.blocked_until', '<=', at),
      )
      .returning('failures')
      .executeTakeFirst()
    const ofSubject = db.selectFrom('authority_throttles').select('blocked_until')
    if (counted === undefined) {
      const blocked = await ofSubject.where('subject', '=', subject).executeTakeFirst()
      return { wait: Math.max(1, (blocked?.blocked_until ?? at) - at), failures: 0 }
    }
    const wait =
      counted.failures < free ? 0 : Math.min(longestWait, second * 2 ** Math.min(30, counted.failures - free))
    await db
      .updateTable('authority_throttles')
      .set({ blocked_until: at + wait })
      .where('subject', '=', subject)
      .execute()
    return { wait: 0, failures: counted.failures }
  })
}

/** Takes one failure back, and the wait for it. */
export async function takeBack({ db }: Store, { subject }: FailureLimit): Promise<void> {
  await db
    .updateTable('authority_throttles')
    .set((row) => ({ failures: row('failures', '-', 1), blocked_until: 0 }))
    .where('subject', '=', subject)
    .where('failures', '>', 0)
    .execute()
}

/** Says whether there were any: of several at once one is told so. */
export async function forgetFailures({ db }: Store, { subject }: FailureLimit): Promise<boolean> {
  const gone = await db.deleteFrom('authority_throttles').where('subject', '=', subject).executeTakeFirst()
  return gone.numDeletedRows > 0n
}
