import { hash } from 'node:crypto'
import type { Clock } from '../store/clock.ts'
import type { Store } from '../store/store.ts'
import { addressBucket } from './address-bucket.ts'

/** Counts one more from this address. The answer is 0, or the seconds to wait: then it must not be done. */
export type RateLimit = (address: string) => Promise<number>

export interface RateLimitOptions {
  /** What is bounded. */
  readonly name: string
  readonly most: number
  /** How long a count lasts before it begins anew. */
  readonly seconds: number
}

/** Bounds how often an address may do what costs us something. Instances that share a store share it. */
export function createRateLimit(
  { db }: Store,
  now: Clock,
  { name, most, seconds }: RateLimitOptions,
): RateLimit {
  const length = seconds * second
  return async (address) => {
    const at = now()
    const period = Math.floor(at / length)
    const subject = `${name}:${period}:${hash('sha256', addressBucket(address), 'base64url')}`
    const counted = await db
      .insertInto('authority_throttles')
      .values({ subject, failures: 1, last_failed_at: at, blocked_until: 0 })
      .onConflict((conflict) =>
        conflict
          .column('subject')
          .doUpdateSet((row) => ({
            failures: row('authority_throttles.failures', '+', 1),
            last_failed_at: at,
          }))
          .where('authority_throttles.failures', '<', most),
      )
      .returning('failures')
      .executeTakeFirst()
    return counted === undefined ? Math.ceil(((period + 1) * length - at) / second) : 0
  }
}

const second = 1_000_000
