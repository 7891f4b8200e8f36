import { unlinkSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'

export interface SpoolLock {
  /** Lets go; the file stays, so that others find the spool. */
  readonly release: () => void
  /** Lets go of a spool that is no more. */
  readonly remove: () => void
}

/**
 * Takes a lock that the system drops when its process ends, however that ends, and that a stopped process keeps: neither
 * a process id (containers repeat them) nor a time (clocks step, processes pause) says as surely who is dead. Node has no
 * file locks of its own; those of SQLite also hold between the threads of one process. Undefined when another has it.
 */
export function lockSpool(file: string): SpoolLock | undefined {
  const database = new DatabaseSync(file, { timeout: 0 })
  try {
    database.exec('pragma journal_mode = memory; begin exclusive')
  } catch (error) {
    database.close()
    if (isHeld(error)) return undefined
    throw error
  }
  return {
    release: () => database.close(),
    remove: () => {
      // Before the lock is gone, so that nobody adopts what is no more; an open file can be removed but on Windows.
      removeQuietly(file)
      database.close()
      removeQuietly(file)
    },
  }
}

function isHeld(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && error.errcode === busy
}

/** SQLITE_BUSY */
const busy = 5

function removeQuietly(file: string): void {
  try {
    unlinkSync(file)
  } catch {
    // It is gone, or the next one who adopts the spool removes it.
  }
}
