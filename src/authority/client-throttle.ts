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
import { createTurns } from './turns.ts'

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
 * Without failures it only reads, so that any number of right secrets pass. After one, each guess counts as failed before it
 * is judged, so that many at once cannot outrun the count; of a first burst a few are judged, and the others wait for these.
 */
export function createClientThrottle(store: Store, now: Clock): ClientThrottle {
  const takeTurn = createPairTurns()
  return (guess, judge) => {
    const limits = limitsOf(guess)
    const [pair] = limits
    return takeTurn(pair, async () => {
      const at = now()
      const known = await standing(store, limits, at)
      const hasFailed = known.failed.has(pair.subject)
      const wait = known.wait > 0 || !hasFailed ? known.wait : await remember(store, limits, at)
      if (wait > 0) return { wait: Math.ceil(wait / second), isRight: false }
      const isRight = await judge()
      if (isRight && hasFailed) await forget(store, limits)
      if (!isRight && !hasFailed) await remember(store, limits, at)
      return { wait: 0, isRight }
    })
  }
}

type Limits = readonly [pair: FailureLimit, address: FailureLimit]

type TakeTurn = <Value>(pair: FailureLimit, work: () => Promise<Value>) => Promise<Value>

/** As many guesses of one pair are under way as failures are free. */
function createPairTurns(): TakeTurn {
  const pairs = new Map<string, { readonly turns: ReturnType<typeof createTurns>; guesses: number }>()
  return async ({ subject, free }, work) => {
    const pair = pairs.get(subject) ?? {
      turns: createTurns({ running: free, waiting: Infinity }),
      guesses: 0,
    }
    pairs.set(subject, pair)
    pair.guesses += 1
    try {
      return await pair.turns(work)
    } finally {
      pair.guesses -= 1
      if (pair.guesses === 0) pairs.delete(subject)
    }
  }
}

/**
 * A client is slowed for one address alone: a stranger elsewhere cannot lock it out. An address has a limit of different
 * clients, not of failures, so that one client with an old secret does not stop the others behind the same proxy.
 */
function limitsOf({ clientId, address }: SecretGuess): Limits {
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

/** Each pair that has failed counts once for its address. The answer is the wait for the pair. */
async function remember(store: Store, [pair, address]: Limits, at: number): Promise<number> {
  const { failures, wait } = await countFailure(store, pair, at)
  if (failures === 1) await countFailure(store, address, at)
  return wait
}

/** Right guesses at once take the one failure of their pair off the address, not one each. */
async function forget(store: Store, [pair, address]: Limits): Promise<void> {
  if (await forgetFailures(store, pair)) await takeBack(store, address)
}
