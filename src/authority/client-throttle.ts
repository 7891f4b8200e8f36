import { hash } from 'node:crypto'
import type { Clock } from '../store/clock.ts'
import type { Store } from '../store/store.ts'
import { addressBucket } from './address-bucket.ts'
import {
  countFailure,
  type FailureLimit,
  forgetFailures,
  second,
  takeBack,
  throttleMemory,
} from './failure-count.ts'

interface SecretGuess {
  readonly clientId: string
  readonly address: string
}

interface JudgedGuess {
  /** Seconds to wait: then the secret was not looked at. */
  readonly wait: number
  readonly isRight: boolean
}

/** Slows down whoever guesses the secrets of clients. Instances that share a store share it. */
export type ClientThrottle = (guess: SecretGuess, judge: () => Promise<boolean>) => Promise<JudgedGuess>

/**
 * Without failures it only reads, so that any number of right secrets at once pass. After one, each guess counts as failed
 * before it is judged, so that many at once cannot outrun the count.
 */
export function createClientThrottle(store: Store, now: Clock): ClientThrottle {
  return async (guess, judge) => {
    const at = now()
    const [pair, address] = limitsOf(guess)
    const known = await standing(store, [pair, address], at)
    const hasFailed = known.failed.has(pair.subject)
    const wait = known.wait > 0 || !hasFailed ? known.wait : (await countFailure(store, pair, at)).wait
    if (wait > 0) return { wait: Math.ceil(wait / second), isRight: false }
    const isRight = await judge()
    if (isRight && hasFailed) await forget(store, pair, address)
    if (!isRight && !hasFailed) await remember(store, [pair, address], at)
    return { wait: 0, isRight }
  }
}

/**
 * A client is slowed for one address alone: a stranger elsewhere cannot lock it out. An address has a limit of different
 * clients, not of failures, so that one client with an old secret does not stop the others behind the same proxy.
 */
function limitsOf({ clientId, address }: SecretGuess): readonly [pair: FailureLimit, address: FailureLimit] {
  const digest = (text: string): string => hash('sha256', text, 'base64url')
  const bucket = addressBucket(address)
  return [
    { subject: `client:${digest(JSON.stringify([clientId, bucket]))}`, free: 5, longestWait: 300 * second },
    { subject: `clients-of:${digest(bucket)}`, free: 20, longestWait: 900 * second },
  ]
}

interface Standing {
  /** Microseconds. */
  readonly wait: number
  readonly failed: ReadonlySet<string>
}

async function standing({ db }: Store, limits: readonly FailureLimit[], at: number): Promise<Standing> {
  const subjects = limits.map(({ subject }) => subject)
  const rows = await db
    .selectFrom('authority_throttles')
    .select(['subject', 'blocked_until'])
    .where('subject', 'in', subjects)
    .where('last_failed_at', '>=', at - throttleMemory)
    .execute()
  return {
    wait: Math.max(0, ...rows.map(({ blocked_until: until }) => until - at)),
    failed: new Set(rows.map(({ subject }) => subject)),
  }
}

async function remember(
  store: Store,
  [pair, address]: readonly [FailureLimit, FailureLimit],
  at: number,
): Promise<void> {
  const { failures } = await countFailure(store, pair, at)
  if (failures === 1) await countFailure(store, address, at)
}

async function forget(store: Store, pair: FailureLimit, address: FailureLimit): Promise<void> {
  await forgetFailures(store, pair)
  await takeBack(store, address)
}
