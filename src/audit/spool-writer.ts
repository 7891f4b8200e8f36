import { closeSync, ftruncateSync, mkdirSync, openSync, writeSync } from 'node:fs'
import { type SpoolPlace, segmentFile } from './spool-files.ts'

/** The end of a spool to which lines are added; a line that was written survives a crash of the process. */
export interface SpoolWriter {
  /** Bytes written since the spool began. */
  readonly end: () => number
  /** Throws when the line cannot be written; then nothing of it stays. */
  readonly write: (line: string) => void
  /** Goes on in another file. */
  readonly beginNext: () => void
  readonly close: () => void
}

export interface SpoolWriterOptions {
  readonly place: SpoolPlace
  /** A file is followed by another once it is larger. */
  readonly segmentBytes: number
  /** Called with the place where a further file begins. */
  readonly onSegment: (start: number) => void
}

export function createSpoolWriter({ place, segmentBytes, onSegment }: SpoolWriterOptions): SpoolWriter {
  let start = 0
  let size = 0
  let isTorn = false
  let descriptor = openSegment(place, start)

  /** The next line goes where a torn one began: whoever reads stops there in the old file. */
  function beginNext(): void {
    const next = start + size
    const opened = openSegment(place, next)
    closeSync(descriptor)
    descriptor = opened
    start = next
    size = 0
    isTorn = false
    onSegment(next)
  }

  /** Part of a line may be in the file. */
  function mend(): void {
    isTorn = true
    ftruncateSync(descriptor, size)
    isTorn = false
  }

  function prepare(): void {
    if (size > 0 && (size >= segmentBytes || isTorn)) beginNext()
    else if (isTorn) mend()
  }

  return {
    end: () => start + size,
    write: (line) => {
      prepare()
      const text = `${line}\n`
      const length = Buffer.byteLength(text)
      let written = 0
      try {
        // 1.3 µs into the page cache; to hand it to another thread costs this one more.
        written = writeSync(descriptor, text)
        if (written !== length) throw new Error(`only ${written} of ${length} bytes could be written`)
      } catch (error) {
        mend()
        throw error
      }
      size += length
    },
    beginNext: () => {
      if (size > 0) beginNext()
    },
    close: () => closeSync(descriptor),
  }
}

function openSegment(place: SpoolPlace, start: number): number {
  mkdirSync(place.folder, { recursive: true, mode: 0o700 })
  return openSync(segmentFile(place, start), 'a', 0o600)
}
