import { Failure } from '../failure/failure.ts'
import { createBoundedMemory } from './bounded-memory.ts'

interface LookedUp<Found> {
  /** Undefined for what the store does not have. */
  readonly found: Found | undefined
  /** When the store was asked, in milliseconds since 1970. */
  readonly at: number
}

/** What the store says of callers, asked at most once a second for each name. */
export interface CallerLookup<Found> {
  /** What it said less than a second ago, without a promise. */
  readonly recent: (name: string) => LookedUp<Found> | undefined
  readonly find: (name: string) => Promise<LookedUp<Found>>
}

export interface CallerLookupOptions<Found> {
  readonly load: (name: string) => Promise<Found | undefined>
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/** So long may what was revoked still be taken. */
export const recentForMs = 1000

/**
 * Made-up names cannot do harm to those who have one: they are remembered apart, and only a number of them is looked up
 * at once, while a name that the store had before is always looked up.
 */
export function createCallerLookup<Found>({ load, now }: CallerLookupOptions<Found>): CallerLookup<Found> {
  const known = createBoundedMemory<LookedUp<Found>>(mostRemembered)
  const strange = createBoundedMemory<LookedUp<Found>>(mostRemembered)
  const underWay = new Map<string, Promise<LookedUp<Found>>>()
  let strangers = 0

  async function ask(name: string, isStranger: boolean): Promise<LookedUp<Found>> {
    const at = now()
    try {
      const looked = { found: await load(name), at }
      const memory = isStranger && looked.found === undefined ? strange : known
      memory.set(name, looked)
      return looked
    } catch (cause) {
      throw noAnswer(cause)
    }
  }

  function begin(name: string): Promise<LookedUp<Found>> {
    const isStranger = known.get(name) === undefined
    if (isStranger && strangers >= mostStrangers) return Promise.reject(tooMany())
    strangers += isStranger ? 1 : 0
    const asked = ask(name, isStranger).finally(() => {
      strangers -= isStranger ? 1 : 0
      underWay.delete(name)
    })
    underWay.set(name, asked)
    return asked
  }

  return {
    recent: (name) => {
      const seen = known.get(name) ?? strange.get(name)
      if (seen === undefined) return undefined
      const age = now() - seen.at
      // A clock that was set back makes no memory last longer.
      return age >= 0 && age < recentForMs ? seen : undefined
    },
    find: (name) => underWay.get(name) ?? begin(name),
  }
}

const mostRemembered = 10_000
const mostStrangers = 1000

function tooMany(): Failure {
  return new Failure('unavailable', 'too many credentials are being looked up; try again', {
    reason: 'overloaded',
  })
}

/** What the store complains of is for our log: it names hosts and files. */
function noAnswer(cause: unknown): Failure {
  return new Failure('unavailable', 'the credential could not be looked up; try again later', {
    reason: 'store_unavailable',
    cause,
  })
}
