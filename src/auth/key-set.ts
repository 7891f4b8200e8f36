import { setTimeout as delay } from 'node:timers/promises'
import type { Log } from '../log/log.ts'
import type { JwtHeader } from './jwt-header.ts'
import { createPacedTask } from './paced-task.ts'
import { noVerdict, refusal } from './refusal.ts'
import type { SigningKey } from './signing-key.ts'

/** The keys of one issuer, held and kept up to date. */
export interface KeySet {
  /** Keys that may have signed a token with this header, but for those tried before; refused when there is none. */
  readonly find: (header: JwtHeader, tried?: readonly SigningKey[]) => Promise<readonly SigningKey[]>
  /** Whether the keys may be relied on without asking the issuer first. */
  readonly isFresh: () => boolean
  /** Whether they have been read once; where not, they are read now, and waited for a moment. */
  readonly isLoaded: () => Promise<boolean>
  readonly close: () => void
}

export interface KeySetOptions {
  readonly issuer: string
  readonly load: () => Promise<readonly SigningKey[]>
  readonly log: Log
  readonly now: () => number
  readonly timing?: KeySetTiming
}

/** All in milliseconds. */
export interface KeySetTiming {
  /** From this age on the keys are fetched again in the background, when they are used. */
  readonly refreshAfter: number
  /** From this age on nothing is decided before the issuer was asked again. */
  readonly restAfter: number
  /** How long keys are kept while the issuer does not answer. */
  readonly keepFor: number
  /** How long a failure of the issuer is taken for granted before the background asks again. */
  readonly retryAfter: number
  /** The least time between two fetches, whatever the tokens say. */
  readonly spacing: number
  /** How many calls may wait for a fetch. */
  readonly mostWaiting: number
  /** How long the question whether keys are loaded waits for them: less than a probe does, which would not learn whose are missing. */
  readonly patience: number
}

export const usualTiming: KeySetTiming = {
  refreshAfter: 300_000,
  restAfter: 600_000,
  keepFor: 86_400_000,
  retryAfter: 30_000,
  spacing: 1000,
  mostWaiting: 10_000,
  patience: 500,
}

export function createKeySet(options: KeySetOptions): KeySet {
  const { issuer, log, now, timing = usualTiming } = options
  const reading = createPacedTask({ run: readKeys, spacing: timing.spacing, now })
  let keys: readonly SigningKey[] = []
  let loadedAt = Number.NEGATIVE_INFINITY
  let failure: unknown
  let waiting = 0
  let isClosed = false

  async function readKeys(): Promise<void> {
    const startedAt = now()
    try {
      keys = succeed(keys, await options.load())
      loadedAt = startedAt
      failure = undefined
    } catch (problem) {
      failure = problem
      if (!isClosed) log.warn({ err: problem, issuer }, 'the keys of an issuer could not be read')
    }
  }

  function isKept(): boolean {
    return now() - loadedAt < timing.keepFor
  }

  function isFresh(): boolean {
    const time = now()
    const age = time - loadedAt
    if (age < timing.refreshAfter) return true
    if (!isKept()) return false
    const isTriedLately = failure !== undefined && time - reading.begunAt() < timing.retryAfter
    if (!isTriedLately) reading.start()
    return age < timing.restAfter || isTriedLately
  }

  function matching(header: JwtHeader, tried: readonly SigningKey[]): readonly SigningKey[] {
    return isKept() ? keys.filter((key) => key.matches(header) && !tried.includes(key)) : []
  }

  async function find(header: JwtHeader, tried: readonly SigningKey[] = []): Promise<readonly SigningKey[]> {
    const begunBefore = reading.begun()
    const known = isFresh() ? matching(header, tried) : []
    if (known.length > 0) return known
    // A read already under way may have left before the key was published: only one that begins later is final.
    while (reading.ended() <= begunBefore && waiting < timing.mostWaiting) {
      waiting += 1
      await reading.settle()
      waiting -= 1
      const found = matching(header, tried)
      if (found.length > 0) return found
    }
    const isFinal = reading.ended() > begunBefore
    throw isFinal && failure === undefined && isKept()
      ? refusal('the access token is signed with a key that its issuer does not have')
      : noVerdict('the issuer of the access token does not answer; try again later', failure)
  }

  async function isLoaded(): Promise<boolean> {
    if (loadedAt === Number.NEGATIVE_INFINITY)
      await Promise.race([reading.settle(), delay(timing.patience, undefined, { ref: false })])
    return loadedAt !== Number.NEGATIVE_INFINITY
  }

  function close(): void {
    isClosed = true
    reading.close()
  }

  return { find, isFresh, isLoaded, close }
}

/** Keys that stay keep their identity; those that are gone are marked, and with them all that they have signed. */
function succeed(before: readonly SigningKey[], after: readonly SigningKey[]): readonly SigningKey[] {
  const kept = new Map(before.map((key) => [key.identity, key]))
  const keys = after.map((key) => kept.get(key.identity) ?? key)
  for (const key of before) key.isCurrent = keys.includes(key)
  return keys
}
