import { statSync } from 'node:fs'
import { clear, type DrainOptions, move } from './drain.ts'
import { lockFile, type SpoolPlace, segmentStarts, spoolIds } from './spool-files.ts'
import { storePrefix } from './spool-id.ts'
import { lockSpool, type SpoolLock } from './spool-lock.ts'
import { createSpoolReader } from './spool-reader.ts'

export interface AdoptionOptions extends Pick<DrainOptions, 'ledger' | 'patience'> {
  /** The spool of the one who adopts. */
  readonly place: SpoolPlace
}

export interface Adopted {
  readonly spool: string
  readonly events: number
}

/** Brings into the ledger what dead processes left in the folder for the same store. */
export async function adoptSpools({ place, ...options }: AdoptionOptions): Promise<readonly Adopted[]> {
  const adopted: Adopted[] = []
  for (const id of spoolIds(place.folder)) {
    const other = { ...place, id }
    if (id === place.id || storePrefix(id) !== storePrefix(place.id) || isBeingMade(other)) continue
    const lock = lockSpool(lockFile(other))
    if (lock === undefined) continue
    const events = await adopt(other, lock, options)
    if (events > 0) adopted.push({ spool: id, events })
  }
  return adopted
}

/** Between making the file and locking it, its owner only seems to be dead. */
function isBeingMade(place: SpoolPlace): boolean {
  const made = statSync(lockFile(place), { throwIfNoEntry: false })?.mtimeMs ?? 0
  return segmentStarts(place).length === 0 && Date.now() - made < makingMs
}

const makingMs = 60_000

async function adopt(
  place: SpoolPlace,
  lock: SpoolLock,
  { ledger, patience }: Pick<AdoptionOptions, 'ledger' | 'patience'>,
): Promise<number> {
  const spool = place.id
  // Only now: until the lock was ours its owner may have written more.
  const reader = createSpoolReader(place)
  let isEmpty = false
  try {
    let position = await patience(() => ledger.positionOf(spool))
    let events = 0
    for (;;) {
      const batch = reader.read(position)
      if (batch.lines.length === 0) break
      position = await move({ spool, ledger, patience }, position, batch)
      events += batch.lines.length
    }
    await clear({ spool, reader, ledger, patience })
    isEmpty = true
    return events
  } finally {
    reader.close()
    if (isEmpty) lock.remove()
    else lock.release()
  }
}
