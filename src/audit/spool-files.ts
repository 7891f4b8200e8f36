import { readdirSync } from 'node:fs'
import { join } from 'node:path'

/**
 * A spool is a run of bytes in files, each named after the place of its first byte: `<id>.<start>.log`. Beside them
 * `<id>.lock` says whether its owner lives.
 */
export interface SpoolPlace {
  readonly folder: string
  readonly id: string
}

export function segmentFile({ folder, id }: SpoolPlace, start: number): string {
  return join(folder, `${id}.${start}.log`)
}

export function lockFile({ folder, id }: SpoolPlace): string {
  return join(folder, `${id}.lock`)
}

/** Where the files of a spool begin, in order. */
export function segmentStarts({ folder, id }: SpoolPlace): number[] {
  return readdirSync(folder)
    .flatMap((name) => {
      const found = segmentName.exec(name)
      return found?.[1] === id ? [Number(found[2])] : []
    })
    .sort((left, right) => left - right)
}

/** The spools that have left anything in the folder. */
export function spoolIds(folder: string): readonly string[] {
  const ids = readdirSync(folder).flatMap((name) => {
    const found = segmentName.exec(name) ?? lockName.exec(name)
    return found?.[1] === undefined ? [] : [found[1]]
  })
  return [...new Set(ids)].sort()
}

const segmentName = /^([0-9a-f-]+)\.(\d{1,15})\.log$/
const lockName = /^([0-9a-f-]+)\.lock$/
