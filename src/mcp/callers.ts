import type { Principal } from '../auth/principal.ts'

/** One principal, whichever of its tokens it shows. */
export interface Caller {
  readonly key: string
  /** The scopes of this token, as a list. */
  readonly held: readonly string[]
  /** Shared by all tokens of the principal. */
  count: Count
}

interface Count {
  running: number
}

/** How many calls of one principal are under way. */
export interface Callers {
  readonly of: (principal: Principal) => Caller
  readonly isBusy: (caller: Caller) => boolean
  readonly enter: (caller: Caller) => void
  readonly leave: (caller: Caller) => void
}

export function createCallers(limit: number): Callers {
  const byPrincipal = new WeakMap<Principal, Caller>()
  const counts = new Map<string, Count>()
  return {
    of: (principal) => {
      const known = byPrincipal.get(principal)
      if (known !== undefined) return known
      const caller = newCaller(principal)
      byPrincipal.set(principal, caller)
      return caller
    },
    isBusy: ({ key }) => (counts.get(key)?.running ?? 0) >= limit,
    enter: (caller) => {
      const count = counts.get(caller.key) ?? caller.count
      if (count.running === 0) counts.set(caller.key, count)
      caller.count = count
      count.running += 1
    },
    leave: ({ key, count }) => {
      count.running -= 1
      if (count.running === 0) counts.delete(key)
    },
  }
}

function newCaller({ issuer, subject, scopes }: Principal): Caller {
  return { key: JSON.stringify([issuer, subject]), held: [...scopes], count: { running: 0 } }
}
