import type { SpoolReader } from './spool-reader.ts'
import type { SpoolWriter } from './spool-writer.ts'

export interface MemorySpool {
  readonly writer: SpoolWriter
  readonly reader: SpoolReader
}

/** For a store that is gone with the process: there is nothing that a file could save. */
export function createMemorySpool(): MemorySpool {
  const lines: string[] = []
  let start = 0
  let size = 0
  const nothing = (): void => undefined
  return {
    writer: {
      end: () => start + size,
      write: (more) => {
        lines.push(...more.split('\n'))
        size += Buffer.byteLength(more) + 1
      },
      beginNext: nothing,
      close: nothing,
    },
    reader: {
      read: () => ({ lines: [...lines], position: start + size }),
      addSegment: nothing,
      release: (position) => {
        while (start < position) {
          const length = Buffer.byteLength(lines.shift() ?? '') + 1
          start += length
          size -= length
        }
      },
      remove: nothing,
      close: nothing,
    },
  }
}
