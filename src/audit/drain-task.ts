import { sql } from 'kysely'
import { microsecondClock } from '../store/clock.ts'
import { connect } from '../store/connect.ts'
import type { Store, StoreSchema } from '../store/store.ts'
import { type Drain, startDrain } from './drain.ts'
import { type DrainReport, type DrainSetup, trouble } from './drain-messages.ts'
import { createPatience } from './drain-patience.ts'
import { startUpkeep, type Upkeep } from './drain-upkeep.ts'
import { createLedger } from './ledger.ts'
import { recordIsAhead } from './ledger-clock.ts'
import { createSpoolReader } from './spool-reader.ts'

/** All that the thread does: it empties its own spool, adopts those of the dead, and removes what is too old. */
export interface DrainTask {
  readonly addSegment: (start: number) => void
  readonly wake: (end: number) => void
  readonly finish: () => Promise<void>
}

type Tell = (report: DrainReport) => void

interface Work {
  readonly store: Store
  readonly drain: Drain
  readonly upkeep: Upkeep
}

export function openDrainTask(setup: DrainSetup, tell: Tell): DrainTask {
  const reader = createSpoolReader(setup.place)
  const patience = createPatience({ onTrouble: (error) => tell(trouble(storeTrouble, error)) })
  let drain: Drain | undefined
  const opened = open()

  async function open(): Promise<Work> {
    const store = await patience(() => openDurably(setup, tell))
    const ledger = createLedger(store, microsecondClock(), (words) => tell(trouble(recordIsAhead, words)))
    const restMs = restsMs[setup.settings.durability]
    drain = startDrain({ spool: setup.place.id, reader, ledger, restMs, patience, tell })
    return { store, drain, upkeep: startUpkeep({ ...setup, store, ledger, tell }) }
  }

  return {
    addSegment: reader.addSegment,
    wake: (end) => drain?.wake(end),
    finish: async () => {
      const work = await opened
      work.upkeep.stop()
      await work.drain.finish()
      reader.close()
      await work.store.close()
    },
  }
}

/** What `grouped` may lose by a power failure is this and one commit. */
export const restsMs = { grouped: 50, strict: 0 } as const

export const storeTrouble = 'records wait in the spool: the store does not take them'

/** A connection of its own, on which a commit is on disk before it is acknowledged. */
async function openDurably({ address, directory }: DrainSetup, tell: Tell): Promise<Store> {
  const say = (details: unknown, message?: unknown): void =>
    tell({ kind: 'note', message: String(message), details: { ...Object(details) } })
  const store = await connect<StoreSchema>(address, { directory, log: { info: say, warn: say } })
  try {
    if (store.dialect === 'sqlite') {
      await sql`pragma synchronous = full`.execute(store.db)
      // The usual thousand pages are full after a few batches, and each time the file is brought up to date costs two more syncs.
      await sql`pragma wal_autocheckpoint = 8000`.execute(store.db)
    }
    return store
  } catch (error) {
    await store.close()
    throw error
  }
}
