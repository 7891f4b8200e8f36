import { setTimeout as pause } from 'node:timers/promises'

/** Makes an attempt again and again until it succeeds or nobody waits any more. */
export type Patience = <T>(attempt: () => Promise<T>) => Promise<T>

export interface PatienceOptions {
  readonly onTrouble: (error: unknown) => void
  readonly signal?: AbortSignal
}

/** A store that is down comes back: what waits for it stays in the spool. */
export function createPatience({ onTrouble, signal }: PatienceOptions): Patience {
  return async (attempt) => {
    for (let length = shortestPause; ; length = Math.min(length * 2, longestPause)) {
      signal?.throwIfAborted()
      try {
        return await attempt()
      } catch (error) {
        signal?.throwIfAborted()
        onTrouble(error)
        await pause(length, undefined, { signal })
      }
    }
  }
}

/** Milliseconds. */
const shortestPause = 50
const longestPause = 5000
