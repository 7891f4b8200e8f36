import type { Config } from '../config/config-schema.ts'
import { microsecondClock } from '../store/clock.ts'
import type { Store } from '../store/store.ts'
import { adoptSpools } from './drain-adoption.ts'
import { type DrainReport, trouble } from './drain-messages.ts'
import { createPatience } from './drain-patience.ts'
import type { Ledger } from './ledger.ts'
import type { SpoolPlace } from './spool-files.ts'
import { foreignSpools, foreignSpoolsFound } from './spool-foreign.ts'
import { trim } from './trim.ts'

export interface UpkeepOptions {
  readonly store: Store
  readonly ledger: Ledger
  /** The spool of the one who does it; without one there are none to adopt. */
  readonly place?: SpoolPlace
  readonly settings: Pick<Config['audit'], 'retentionDays' | 'retentionMegabytes'>
  readonly tell: (report: DrainReport) => void
  /** In place of the usual minute. */
  readonly firstRemovalMs?: number
}

/** What is done now and then, one thing at a time: taking over what the dead left, and removing what is too old. */
export interface Upkeep {
  readonly stop: () => void
}

export function startUpkeep(options: UpkeepOptions): Upkeep {
  const { place, tell, firstRemovalMs = 60_000 } = options
  const stopping = new AbortController()
  const patience = createPatience({ onTrouble: () => undefined, signal: stopping.signal })
  let last = Promise.resolve()

  function doNext(work: () => Promise<void>): void {
    last = last.then(work).catch((error: unknown) => {
      if (!stopping.signal.aborted) tell(trouble('the upkeep of the records failed', error))
    })
  }

  async function adopt(): Promise<void> {
    if (place === undefined) return
    for (const details of await adoptSpools({ ...options, place, patience }))
      tell({
        kind: 'note',
        message: 'took over the records of a gateway that ended',
        details: { ...details },
      })
  }

  async function tellOfForeign(): Promise<void> {
    const found = place === undefined ? undefined : foreignSpools(place)
    if (found !== undefined) tell({ kind: 'note', message: foreignSpoolsFound, details: { ...found } })
  }

  doNext(tellOfForeign)
  doNext(adopt)
  const timers = [
    setInterval(() => doNext(adopt), adoptionMs),
    setTimeout(() => doNext(() => removeOld(options)), firstRemovalMs),
    setInterval(() => doNext(() => removeOld(options)), removalMs),
  ]
  for (const timer of timers) timer.unref()
  return {
    stop: () => {
      stopping.abort()
      for (const timer of timers) clearTimeout(timer)
    },
  }
}

const adoptionMs = 10_000
const removalMs = 3_600_000

async function removeOld({ store, settings }: UpkeepOptions): Promise<void> {
  const now = microsecondClock()
  await trim(store, {
    olderThan: now() - settings.retentionDays * microsecondsADay,
    mostBytes: settings.retentionMegabytes * 2 ** 20,
    now,
  })
}

const microsecondsADay = 86_400_000_000
