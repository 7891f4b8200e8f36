import type { Config } from '../config/config-schema.ts'
import { Failure } from '../failure/failure.ts'
import type { RareWarning } from '../log/rare-warning.ts'
import { createDrops } from './recorder-drops.ts'
import { createTurns, type Turn } from './recorder-turns.ts'
import { createWaiters } from './recorder-waiters.ts'
import type { SpoolWriter } from './spool-writer.ts'

export interface RecorderState {
  /** Answers that are held back. */
  readonly waiting: number
  /** Records that could not be written since the start. */
  readonly dropped: number
  /** What is in the spool and not yet in the store. */
  readonly spoolBytes: number
}

export interface RecorderFrontOptions {
  readonly writer: SpoolWriter
  readonly durability: Config['audit']['durability']
  readonly limitBytes: number
  /** The spool reaches to this place, and there is something to do. */
  readonly wake: (end: number) => void
  readonly warn: RareWarning
  /** Milliseconds since any moment. */
  readonly elapsed: () => number
  readonly mostWaiting?: number
  readonly longestWaitMs?: number
}

/** The side of the requests: writes lines, and knows how far they have come. */
export interface RecorderFront {
  /** The promise is kept when the line is in the spool; `strict`: when it is in the store. None where it is dropped. */
  readonly record: (line: string) => Promise<void> | undefined
  readonly refuseIfBehind: () => void
  readonly state: () => RecorderState
  /** Everything before this place is in the store. */
  readonly advance: (position: number, isIdle: boolean) => void
  /** What was written before this place is nowhere to be found. */
  readonly lose: (position: number) => void
  /** Breaks the promises that have waited too long; to be called now and then. */
  readonly sweep: () => void
  /** Writes what is still to be said; nothing is taken any more. */
  readonly end: () => void
}

export function createRecorderFront(options: RecorderFrontOptions): RecorderFront {
  const { writer, wake, warn, elapsed, limitBytes, mostWaiting = 10_000, longestWaitMs = 5000 } = options
  const isStrict = options.durability === 'strict'
  const waiters = createWaiters()
  const drops = createDrops({ write: writer.write, warn, elapsed })
  const turns = createTurns(write)
  let stored = 0
  let movedAt = elapsed()
  let isEnded = false
  let drain: 'busy' | 'hurried' | 'idle' = 'busy'

  const isFull = (): boolean => writer.end() - stored >= limitBytes
  const isStalled = (): boolean => writer.end() > stored && elapsed() - movedAt > longestWaitMs

  function nudge(): void {
    if (drain === 'idle') {
      drain = 'busy'
      wake(writer.end())
    } else if (drain === 'busy' && !isStrict && writer.end() - stored > hurryBytes) {
      drain = 'hurried'
      wake(writer.end())
    }
  }

  function record(line: string): Promise<void> | undefined {
    if (!isEnded && !isFull()) return turns.add(line)
    drops.add(new Failure('unavailable', isEnded ? 'it is closed' : 'it is full'))
    return isStrict ? Promise.reject(behind()) : undefined
  }

  function write({ lines, keep, refuse }: Turn): void {
    if (writer.end() === stored) movedAt = elapsed()
    const isWritten = drops.tryWrite(lines)
    if (isWritten) nudge()
    if (!isStrict) keep()
    // What is in the spool will be in the store, whatever the callers are told.
    else if (!isWritten || waiters.count() >= mostWaiting || isStalled()) refuse(behind())
    else waiters.add({ position: writer.end(), since: elapsed(), count: lines.length, keep, refuse })
  }

  function advance(position: number, isIdle: boolean): void {
    if (position > stored) {
      stored = position
      movedAt = elapsed()
      drain = 'busy'
      waiters.keep(position)
    }
    if (!isIdle) return
    drain = 'idle'
    if (writer.end() > stored) nudge()
  }

  /** Somebody has removed the files; what comes goes into another one. */
  function lose(position: number): void {
    stored = Math.max(stored, position)
    writer.beginNext()
    waiters.breakUntil(Infinity, behind)
    drops.add(new Failure('internal', 'the files of the spool were removed before they were read'))
  }

  return {
    record,
    advance,
    lose,
    refuseIfBehind: () => {
      if (!isStrict) return
      if (isFull() || drops.isFailing() || waiters.count() >= mostWaiting || isStalled()) throw behind()
    },
    state: () => ({
      waiting: waiters.count(),
      dropped: drops.total(),
      spoolBytes: writer.end() - stored,
    }),
    sweep: () => waiters.breakUntil(elapsed() - longestWaitMs, behind),
    end: () => {
      turns.finish()
      drops.note()
      isEnded = true
    },
  }
}

/** A spool that grows faster than this between two commits is read earlier. */
const hurryBytes = 256 * 1024

function behind(): Failure {
  return new Failure('unavailable', 'the record of calls cannot be kept at the moment; try again', {
    reason: 'record_unavailable',
    retryAfterSeconds: 5,
  })
}
