import { closeSync, ftruncateSync, mkdirSync, openSync, writeSync } from 'node:fs'
import { type SpoolPlace, segmentFile } from './spool-files.ts'

/** The end of a spool to which lines are added; a line that was written survives a crash of the process. */
export interface SpoolWriter {
  /** Bytes written since the spool began. */
  readonly end: () => number
  /** A line, or several with line breaks between them. Throws when they cannot be written; then nothing of them stays. */
  readonly write: (lines: string) => void
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
    write: (lines) => {
      prepare()
      const bytes = Buffer.from(`${lines}\n`)
      try {
        // Into the page cache, which takes no longer than to hand it to another thread.
        const written = writeSync(descriptor, bytes)
        if (written !== bytes.length)
          throw new Error(`only ${written} of ${bytes.length} bytes could be written`)
      } catch (error) {
        mend()
        throw error
      }
      size += bytes.length
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
