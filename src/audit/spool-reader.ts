import { closeSync, openSync, readSync, rmSync } from 'node:fs'
import { type SpoolPlace, segmentFile, segmentStarts } from './spool-files.ts'

/** Whole lines of a spool, and the place after them. */
export interface SpoolBatch {
  readonly lines: readonly string[]
  readonly position: number
}

export interface SpoolReader {
  /** The lines from this place on, about a megabyte of them; none when there are none yet. */
  readonly read: (from: number) => SpoolBatch
  /** The writer has begun another file. */
  readonly addSegment: (start: number) => void
  /** Removes the files that end before this place. */
  readonly release: (position: number) => void
  /** Removes all files. */
  readonly remove: () => void
  readonly close: () => void
}

/** A line that was cut by a power failure is no line: it ends where the next file begins, or is the last. */
export function createSpoolReader(place: SpoolPlace): SpoolReader {
  let starts: readonly number[] = segmentStarts(place)
  let opened: { readonly start: number; readonly descriptor: number } | undefined
  let buffer = Buffer.allocUnsafe(batchBytes)

  function close(): void {
    if (opened !== undefined) closeSync(opened.descriptor)
    opened = undefined
  }

  function open(start: number): number {
    if (opened?.start === start) return opened.descriptor
    close()
    const descriptor = openSync(segmentFile(place, start), 'r')
    opened = { start, descriptor }
    return descriptor
  }

  /** The lines of one file; none where nothing whole is left in it. */
  function readFile(start: number, from: number, end: number): SpoolBatch {
    for (;;) {
      const wanted = Math.min(buffer.length, end - from)
      const length = readSync(open(start), buffer, 0, wanted, from - start)
      const whole = buffer.subarray(0, length).lastIndexOf(newline) + 1
      if (whole > 0)
        return { lines: buffer.toString('utf8', 0, whole - 1).split('\n'), position: from + whole }
      if (length < buffer.length) return { lines: [], position: from }
      buffer = Buffer.allocUnsafe(buffer.length * 2)
    }
  }

  function removeFile(start: number): void {
    if (opened?.start === start) close()
    rmSync(segmentFile(place, start), { force: true })
    starts = starts.filter((other) => other !== start)
  }

  return {
    read: (from) => {
      for (const [index, start] of starts.entries()) {
        const end = starts[index + 1] ?? Infinity
        if (end <= from) continue
        const batch = readFile(start, Math.max(from, start), end)
        if (batch.lines.length > 0) return batch
      }
      return { lines: [], position: from }
    },
    addSegment: (start) => {
      if (!starts.includes(start)) starts = [...starts, start].sort((left, right) => left - right)
    },
    release: (position) => {
      const done = starts.filter((_, index) => (starts[index + 1] ?? Infinity) <= position)
      for (const start of done) removeFile(start)
    },
    remove: () => {
      for (const start of starts) removeFile(start)
    },
    close,
  }
}

const batchBytes = 1024 * 1024
const newline = 10
