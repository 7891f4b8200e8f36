import { statSync } from 'node:fs'
import { lockFile, type SpoolPlace, segmentFile, segmentStarts, spoolIds } from './spool-files.ts'
import { storePrefix } from './spool-id.ts'
import { lockSpool } from './spool-lock.ts'

export interface ForeignSpools {
  readonly folder: string
  readonly spools: number
  readonly bytes: number
}

/**
 * What dead processes left in the folder for a store of another address. It may be the same store under another name, or a
 * copy of it, or any other one: only who runs it knows, so it is told and left alone. Undefined when there is nothing.
 */
export function foreignSpools(place: SpoolPlace): ForeignSpools | undefined {
  const sizes = spoolIds(place.folder)
    .filter((id) => storePrefix(id) !== storePrefix(place.id))
    .map((id) => leftIn({ ...place, id }))
    .filter((bytes) => bytes > 0)
  if (sizes.length === 0) return undefined
  return { folder: place.folder, spools: sizes.length, bytes: sizes.reduce((sum, bytes) => sum + bytes, 0) }
}

export const foreignSpoolsFound =
  'THE SPOOL FOLDER HOLDS RECORDS FOR ANOTHER STORE ADDRESS, and they are not taken over: if the address in `store` was changed, start the gateway once with the one it had before'

/** Nothing if its owner lives: then they are not left but on their way. */
function leftIn(place: SpoolPlace): number {
  const bytes = segmentStarts(place)
    .map((start) => statSync(segmentFile(place, start), { throwIfNoEntry: false })?.size ?? 0)
    .reduce((sum, size) => sum + size, 0)
  // Also of one that is being made, whose lock must not be touched.
  if (bytes === 0) return 0
  const lock = lockSpool(lockFile(place))
  lock?.release()
  return lock === undefined ? 0 : bytes
}
