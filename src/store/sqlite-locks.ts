import { setTimeout as pause } from 'node:timers/promises'
import { Failure } from '../failure/failure.ts'

/** Makes an attempt again and again while another connection holds the lock. */
export type Patience = <T>(attempt: () => T | Promise<T>) => Promise<T>

/**
 * SQLite's own busy time-out sleeps in the thread: it would stop every request of this process, and also the
 * transaction of this process that it may be waiting for.
 */
export function lockPatience(file: string, milliseconds: number): Patience {
  return async (attempt) => {
    let waited = 0
    for (let turn = 0; ; turn += 1) {
      try {
        return await attempt()
      } catch (cause) {
        if (!isLocked(cause)) throw cause
        if (waited >= milliseconds) {
          const message = `the database ${file} was locked by another process for ${milliseconds} ms: end that process, or try again`
          throw new Failure('unavailable', message, { cause })
        }
        const length = pauses[turn] ?? longestPause
        await pause(length)
        waited += length
      }
    }
  }
}

/** That the patience has ended, and no other failure of the store. */
export function isLockFailure(error: unknown): boolean {
  return error instanceof Failure && isLocked(error.cause)
}

/** SQLite's extended result code. */
export function sqliteCode(error: unknown): number | undefined {
  return error instanceof Error && 'errcode' in error && typeof error.errcode === 'number'
    ? error.errcode
    : undefined
}

/** Busy, and busy while recovering; not `BUSY_SNAPSHOT`, which stays true however long one waits. */
function isLocked(error: unknown): boolean {
  const code = sqliteCode(error)
  return code === 5 || code === 261
}

/** Milliseconds, as in SQLite's own handler. */
const pauses = [1, 2, 5, 10, 15, 20]
const longestPause = 25
