import { Failure } from '../failure/failure.ts'
import type { RareWarning } from '../log/rare-warning.ts'
import { microsecondClock } from '../store/clock.ts'
import { noteLine } from './audit-line.ts'
import { createEventIds } from './recorder-ids.ts'

/** What could not be written is counted, told, and put on record as soon as anything can be written again. */
export interface Drops {
  /** Whether they were written; all or none of them. */
  readonly tryWrite: (lines: readonly string[]) => boolean
  readonly add: (error: unknown, count?: number) => void
  readonly total: () => number
  /** Whether the last line could not be written. */
  readonly isFailing: () => boolean
  /** Puts on record what was dropped, if anything was and if it can. */
  readonly note: () => void
}

export interface DropsOptions {
  readonly write: (lines: string) => void
  readonly warn: RareWarning
  /** Milliseconds since any moment. */
  readonly elapsed: () => number
}

export function createDrops({ write, warn, elapsed }: DropsOptions): Drops {
  const newId = createEventIds()
  const now = microsecondClock()
  let total = 0
  let unnoted = 0
  let notedAt = -Infinity
  let isFailing = false

  function add(error: unknown, count = 1): void {
    total += count
    unnoted += count
    isFailing = true
    warn('DECISIONS ARE NOT ON RECORD: the spool cannot be written', dropped(total, error))
  }

  function writeNote(): void {
    const time = now()
    write(noteLine({ id: newId(time), time, reason: 'dropped', count: unnoted }))
    unnoted = 0
    notedAt = elapsed()
  }

  function tryWrite(lines: readonly string[]): boolean {
    try {
      // Not every time: a spool that is full by turns would fill itself with notes.
      if (unnoted > 0 && elapsed() - notedAt > noteSpacingMs) writeNote()
      write(lines.join('\n'))
      isFailing = false
      return true
    } catch (error) {
      add(error, lines.length)
      return false
    }
  }

  return {
    tryWrite,
    add,
    total: () => total,
    isFailing: () => isFailing,
    note: () => {
      if (unnoted === 0) return
      try {
        writeNote()
      } catch (error) {
        warn('the number of dropped records could not be put on record', error)
      }
    },
  }
}

const noteSpacingMs = 1000

function dropped(total: number, cause: unknown): Failure {
  return new Failure('unavailable', `${total} dropped since the start`, { cause })
}
