import { closeSync, mkdirSync, openSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Config } from '../config/config-schema.ts'
import { Failure } from '../failure/failure.ts'
import type { Log } from '../log/log.ts'
import { createRareWarning } from '../log/rare-warning.ts'
import { microsecondClock } from '../store/clock.ts'
import type { Store } from '../store/store.ts'
import { startDrain } from './drain.ts'
import { type DrainReport, trouble } from './drain-messages.ts'
import { createPatience } from './drain-patience.ts'
import { restsMs, storeTrouble } from './drain-task.ts'
import { startUpkeep } from './drain-upkeep.ts'
import { createLedger } from './ledger.ts'
import { recordIsAhead } from './ledger-clock.ts'
import { createRecorderFront, type RecorderFront, type RecorderState } from './recorder-front.ts'
import { startDrainThread } from './recorder-thread.ts'
import { lockFile, type SpoolPlace } from './spool-files.ts'
import { newSpoolId } from './spool-id.ts'
import { lockSpool, type SpoolLock } from './spool-lock.ts'
import { createMemorySpool } from './spool-memory.ts'
import { createSpoolWriter, type SpoolWriter } from './spool-writer.ts'

export interface RecorderOptions {
  /** As the configuration has it; the thread that writes the records opens the store once more. */
  readonly address: string
  /** Where relative paths of the configuration begin. */
  readonly directory: string
  readonly settings: Config['audit']
  /** Used only where a second connection would see another store: in memory. */
  readonly store: Store
  readonly log: Log
}

/** Keeps the record of every decision. */
export interface Recorder {
  /**
   * A JSON object without a line break. The promise is kept when a crash of the process cannot take it any more; `strict`:
   * when it is on disk. `grouped`: what is dropped has no promise, or one that is kept all the same.
   */
  readonly record: (line: string) => Promise<void> | undefined
  /** `strict`: throws when a call that is let in now could not be recorded. */
  readonly refuseIfBehind: () => void
  readonly state: () => RecorderState
  /** Brings into the store what there is; what does not get there in time is taken over at the next start. */
  readonly close: () => Promise<void>
}

export async function openRecorder(options: RecorderOptions): Promise<Recorder> {
  return options.address === 'sqlite::memory:' ? openInMemory(options) : openOnDisk(options)
}

function openOnDisk(options: RecorderOptions): Recorder {
  const { log, settings, address, directory } = options
  const { place, lock, writer } = openSpool(options, (start) => thread.send({ kind: 'segment', start }))
  const warn = createRareWarning(log, () => performance.now())
  const front = frontOf(options, writer, (end) => thread.send({ kind: 'wake', end }))
  const thread = startDrainThread({
    setup: { address, directory, place, settings },
    tell: listener(front, options),
    onCrash: (error) => warn('the thread that stores the records crashed; it is started again', error),
  })
  const sweep = setInterval(front.sweep, sweepMs).unref()
  return {
    ...front,
    close: async () => {
      front.end()
      const isDone = await thread.finish(finishMs)
      clearInterval(sweep)
      writer.close()
      if (isDone) lock.remove()
      else {
        lock.release()
        const waiting = front.state().spoolBytes
        log.warn({ bytes: waiting }, 'records are left in the spool: the next start takes them over')
      }
    },
  }
}

/** Milliseconds. */
const sweepMs = 250
const finishMs = 3500

interface OpenedSpool {
  readonly place: SpoolPlace
  readonly lock: SpoolLock
  readonly writer: SpoolWriter
}

function openSpool(
  { address, directory, settings }: RecorderOptions,
  onSegment: (start: number) => void,
): OpenedSpool {
  const folder = resolve(directory, settings.spool)
  const place = { folder, id: newSpoolId(address, directory) }
  const segmentBytes = Math.min(largestSegment, Math.ceil(limitBytesOf(settings) / 8))
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    // SQLite would let others read it.
    closeSync(openSync(lockFile(place), 'wx', 0o600))
    const lock = lockSpool(lockFile(place))
    if (lock === undefined) throw new Error(`${lockFile(place)} is locked`)
    return { place, lock, writer: createSpoolWriter({ place, segmentBytes, onSegment }) }
  } catch (cause) {
    const message = `audit.spool: the folder ${folder} cannot be used: name one on a local disk that Postern may write to`
    throw new Failure('misconfigured', message, { cause, field: 'audit.spool' })
  }
}

const largestSegment = 16 * 2 ** 20

function limitBytesOf({ spoolLimitMegabytes }: Config['audit']): number {
  return spoolLimitMegabytes * 2 ** 20
}

function openInMemory(options: RecorderOptions): Recorder {
  const { writer, reader } = createMemorySpool()
  const front = frontOf(options, writer, (end) => drain.wake(end))
  const tell = listener(front, options)
  const onAhead = (words: string): void => tell(trouble(recordIsAhead, words))
  const ledger = createLedger(options.store, microsecondClock(), onAhead)
  const drain = startDrain({
    spool: 'memory',
    reader,
    ledger,
    restMs: restsMs[options.settings.durability],
    patience: createPatience({ onTrouble: (error) => tell(trouble(storeTrouble, error)) }),
    tell,
  })
  const upkeep = startUpkeep({ ...options, ledger, tell })
  return {
    ...front,
    close: () => {
      front.end()
      upkeep.stop()
      return drain.finish()
    },
  }
}

function frontOf(
  { settings, log }: RecorderOptions,
  writer: SpoolWriter,
  wake: (end: number) => void,
): RecorderFront {
  const elapsed = (): number => performance.now()
  const warn = createRareWarning(log, elapsed)
  const { durability } = settings
  return createRecorderFront({ writer, durability, limitBytes: limitBytesOf(settings), wake, warn, elapsed })
}

function listener(front: RecorderFront, { log }: RecorderOptions): (report: DrainReport) => void {
  const warn = createRareWarning(log, () => performance.now())
  return (report) => {
    if (report.kind === 'progress') front.advance(report.position, report.isIdle)
    else if (report.kind === 'lost') front.lose(report.position)
    else if (report.kind === 'trouble') warn(report.message, new Failure('unavailable', report.reason))
    else log.warn(report.details, report.message)
  }
}
