import { Failure } from '../failure/failure.ts'
import type { DrainReport } from './drain-messages.ts'
import type { Patience } from './drain-patience.ts'
import type { Ledger } from './ledger.ts'
import type { SpoolBatch, SpoolReader } from './spool-reader.ts'

export interface DrainOptions {
  readonly spool: string
  readonly reader: SpoolReader
  readonly ledger: Ledger
  /** At least so long between two commits; woken earlier, it goes on earlier. */
  readonly restMs: number
  readonly patience: Patience
  readonly tell: (report: DrainReport) => void
}

/** Moves the lines of a spool that is being written into the ledger. */
export interface Drain {
  /** The spool reaches at least to this place. */
  readonly wake: (end: number) => void
  /** Resolves when all that was written is in the ledger and the spool is removed. */
  readonly finish: () => Promise<void>
}

export function startDrain(options: DrainOptions): Drain {
  const { reader, ledger, spool, tell, patience } = options
  const alarm = createAlarm()
  let isFinishing = false
  let knownEnd = 0
  const ended = run()

  async function run(): Promise<void> {
    let lostEnd = 0
    let lastSize = 0
    let position = await patience(() => ledger.positionOf(spool))
    tell({ kind: 'progress', position, isIdle: false })
    for (;;) {
      const batch = reader.read(position)
      if (batch.lines.length > 0) {
        position = await move({ spool, ledger, patience }, position, batch)
        lastSize = batch.lines.length
        reader.release(position)
        tell({ kind: 'progress', position, isIdle: false })
        if (options.restMs > 0 && !isFinishing) await alarm.rest(options.restMs)
      } else if (lastSize > few && !isFinishing) {
        lastSize = 0
        await alarm.rest(lingerMs)
      } else {
        if (isFinishing) break
        if (knownEnd > position && knownEnd > lostEnd) {
          lostEnd = knownEnd
          tell({ kind: 'lost', position: knownEnd })
        }
        tell({ kind: 'progress', position, isIdle: true })
        await alarm.rest()
      }
    }
    await clear(options)
  }

  return {
    wake: (end) => {
      knownEnd = end
      alarm.ring()
    },
    finish: () => {
      isFinishing = true
      alarm.ring()
      return ended
    },
  }
}

/** Those who were answered together ask again together: to wait for them makes one commit of many. */
const few = 4
const lingerMs = 1

/** Removes a spool whose every line is in the ledger. */
export async function clear({
  spool,
  reader,
  ledger,
  patience,
}: Pick<DrainOptions, 'spool' | 'reader' | 'ledger' | 'patience'>): Promise<void> {
  reader.remove()
  // Last: a file without a position would be read again from its beginning.
  await patience(() => ledger.forget(spool))
}

/** Where the ledger is afterwards: behind the batch, or wherever somebody else has brought it. */
export function move(
  { spool, ledger, patience }: Pick<DrainOptions, 'spool' | 'ledger' | 'patience'>,
  from: number,
  { lines, position }: SpoolBatch,
): Promise<number> {
  return patience(async () => {
    try {
      await ledger.append({ spool, from, position, lines })
      return position
    } catch (error) {
      if (error instanceof Failure && error.code === 'conflict') return ledger.positionOf(spool)
      throw error
    }
  })
}

interface Alarm {
  readonly ring: () => void
  /** Until it rings, or the time is over; a ring that came when nobody rested counts for the next rest. */
  readonly rest: (milliseconds?: number) => Promise<void>
}

function createAlarm(): Alarm {
  let isRung = false
  let wake: (() => void) | undefined
  return {
    ring: () => {
      isRung = true
      wake?.()
    },
    rest: async (milliseconds) => {
      if (!isRung) {
        const { promise, resolve } = Promise.withResolvers<void>()
        wake = resolve
        const timer = milliseconds === undefined ? undefined : setTimeout(resolve, milliseconds)
        await promise
        clearTimeout(timer)
        wake = undefined
      }
      isRung = false
    },
  }
}
