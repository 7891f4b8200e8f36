import { hash } from 'node:crypto'
import type { Clock } from '../store/clock.ts'
import type { Store } from '../store/store.ts'
import { addressBucket } from './address-bucket.ts'
import { countFailure, type FailureLimit, forgetFailures, second, takeBack } from './failure-count.ts'
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
  /** Takes the attempt back, because its password was not looked at. */
  readonly withdraw: (attempt: Attempt) => Promise<void>
}

export function createThrottle(store: Store, now: Clock): Throttle {
  return {
    begin: async (attempt) => {
      const at = now()
      for (const limit of limitsOf(attempt)) {
        const { wait } = await countFailure(store, limit, at)
        if (wait > 0) return Math.ceil(wait / second)
      }
      return 0
    },
    succeed: async (attempt) => {
      const [address, login] = limitsOf(attempt)
      await forgetFailures(store, login)
      await takeBack(store, address)
    },
    withdraw: async (attempt) => {
      for (const limit of limitsOf(attempt)) await takeBack(store, limit)
    },
  }
}

/** A login waits at most five minutes, so that a stranger can not lock a person out for long. */
function limitsOf({ login, address }: Attempt): readonly [address: FailureLimit, login: FailureLimit] {
  const digest = (text: string): string => hash('sha256', text, 'base64url')
  return [
    { subject: `address:${digest(addressBucket(address))}`, free: 20, longestWait: 900 * second },
    { subject: `login:${digest(foldLogin(login))}`, free: 5, longestWait: 300 * second },
  ]
}
