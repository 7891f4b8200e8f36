import { hash } from 'node:crypto'
import type { Clock } from '../store/clock.ts'
import type { Store } from '../store/store.ts'
import { addressBucket } from './address-bucket.ts'
import { foldLogin } from './login.ts'

interface Attempt {
  readonly login: string
  readonly address: string
}

/** Slows down whoever guesses passwords. Instances that share a store share it. */
export interface Throttle {
  /**
   * Counts an attempt as failed before the password is looked at, so that many at once cannot outrun the count.
   * The answer is 0, or the seconds to wait: then the password must not be looked at.
   */
  readonly begin: (attempt: Attempt) => Promise<number>
  /** Forgets the failures of the login, and this attempt of the address. */
  readonly succeed: (attempt: Attempt) => Promise<void>
}

export function createThrottle(store: Store, now: Clock): Throttle {
  return {
    begin: async (attempt) => {
      const at = now()
      for (const limit of limitsOf(attempt)) {
        const wait = await count(store, limit, at)
        if (wait > 0) return Math.ceil(wait / second)
      }
      return 0
    },
    succeed: async (attempt) => {
      const [address, login] = limitsOf(attempt)
      await store.db.deleteFrom('authority_throttles').where('subject', '=', login.subject).execute()
      await store.db
        .updateTable('authority_throttles')
        .set((row) => ({ failures: row('failures', '-', 1), blocked_until: 0 }))
        .where('subject', '=', address.subject)
        .where('failures', '>', 0)
        .execute()
    },
  }
}

interface Limit {
  /** A digest, because people type their password into the field of the login, too. */
  readonly subject: string
  /** How many failures are free. */
  readonly free: number
  readonly longestWait: number
}

const second = 1_000_000
/** Failures that are older are forgotten, in microseconds. */
export const throttleMemory: number = 86_400 * second

/** A login waits at most five minutes, so that a stranger can not lock a person out for long. */
function limitsOf({ login, address }: Attempt): readonly [address: Limit, login: Limit] {
  const digest = (text: string): string => hash('sha256', text, 'base64url')
  return [
    { subject: `address:${digest(addressBucket(address))}`, free: 20, longestWait: 900 * second },
    { subject: `login:${digest(foldLogin(login))}`, free: 5, longestWait: 300 * second },
  ]
}

/** Microseconds to wait, or 0 when the attempt was counted. The row stays locked from the count to the new block. */
async function count(store: Store, { subject, free, longestWait }: Limit, at: number): Promise<number> {
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
      return Math.max(1, (blocked?.blocked_until ?? at) - at)
    }
    const wait =
      counted.failures < free ? 0 : Math.min(longestWait, second * 2 ** Math.min(30, counted.failures - free))
    await db
      .updateTable('authority_throttles')
      .set({ blocked_until: at + wait })
      .where('subject', '=', subject)
      .execute()
    return 0
  })
}
