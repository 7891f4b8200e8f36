import { setTimeout as delay } from 'node:timers/promises'
import { Failure } from '../failure/failure.ts'
import type { Log } from '../log/log.ts'
import { createRareWarning } from '../log/rare-warning.ts'
import type { Store } from '../store/store.ts'
import type { Principal } from './principal.ts'
import { emptyList, type RevocationList, readNews } from './revocation-list.ts'

/** Whether the token was revoked here; a promise only until this was read for the first time. */
export type RevocationCheck = (principal: Pick<Principal, 'credential'>) => boolean | Promise<boolean>

/** The tokens that are refused although their issuers still vouch for them, as all instances know them. */
export interface Revocations {
  /** Fails when the store has not answered for too long: nobody knows then what was revoked meanwhile. */
  readonly isRevoked: RevocationCheck
  /** Ends when the reading under way has, or was given up. */
  readonly close: () => Promise<void>
}

export interface RevocationsOptions {
  readonly store: Pick<Store, 'db'>
  readonly log: Log
  /** Milliseconds since 1970. */
  readonly now?: () => number
  /** Milliseconds since any moment; it never steps. */
  readonly elapsed?: () => number
  readonly timing?: RevocationsTiming
}

/** All in milliseconds. */
interface RevocationsTiming {
  /** Between two readings. */
  readonly spacing: number
  /** How long a reading may take before the next one is tried: a dead connection may keep its answer back for many minutes. */
  readonly patience: number
  /** How long the last reading is relied on. */
  readonly staleAfter: number
}

/** A revocation must be known everywhere within a second. */
const usualTiming: RevocationsTiming = { spacing: 400, patience: 3000, staleAfter: 10_000 }

/** Reads what was revoked now, and then over and over until it is closed. */
export function openRevocations(options: RevocationsOptions): Revocations {
  const { store, log, now = Date.now, elapsed = () => performance.now(), timing = usualTiming } = options
  const warn = createRareWarning(log, elapsed)
  const closing = new AbortController()
  let list: RevocationList = emptyList
  let readAt = Number.NEGATIVE_INFINITY
  let hasTried = false
  let unanswered = 0

  async function ask(): Promise<RevocationList> {
    unanswered += 1
    try {
      return await readNews(store, list, Math.floor(now() * 1000))
    } finally {
      unanswered -= 1
    }
  }

  async function read(): Promise<void> {
    const startedAt = elapsed()
    try {
      list = await within(timing.patience, ask(), closing.signal)
      readAt = startedAt
    } catch (error) {
      if (!closing.signal.aborted) warn('the list of revoked tokens could not be read', error)
    }
    hasTried = true
  }

  async function follow(): Promise<void> {
    while (!closing.signal.aborted) {
      await pause(timing.spacing, closing.signal)
      if (!closing.signal.aborted && unanswered < mostUnanswered) await read()
    }
  }

  const first = read()
  const following = first.then(follow)

  function isRevoked(principal: Pick<Principal, 'credential'>): boolean | Promise<boolean> {
    if (elapsed() - readAt <= timing.staleAfter)
      return list.ids.size > 0 && list.ids.has(principal.credential.id)
    if (hasTried) throw unknown()
    return first.then(() => isRevoked(principal))
  }

  return {
    isRevoked,
    close: async () => {
      closing.abort()
      await following
    },
  }
}

/** Readings that were given up but may still end: with this many, no other is begun. */
const mostUnanswered = 3

async function within<Answer>(
  patience: number,
  answer: Promise<Answer>,
  closing: AbortSignal,
): Promise<Answer> {
  const settled = new AbortController()
  const late = pause(patience, AbortSignal.any([closing, settled.signal])).then(() => {
    throw new Failure('timeout', `the store did not answer within ${patience} ms`)
  })
  try {
    return await Promise.race([answer, late])
  } finally {
    settled.abort()
  }
}

async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  await delay(milliseconds, undefined, { signal, ref: false }).catch(() => undefined)
}

function unknown(): Failure {
  return new Failure('unavailable', 'nobody can say now whether the token was revoked; try again later', {
    reason: 'store_unavailable',
    retryAfterSeconds: 1,
  })
}
