import type { Log } from '../log/log.ts'

/** What is written down beside the answer: that a credential was used, or used badly. */
export interface UseNotes {
  /** Nobody waits for it, and nobody is refused when it fails. */
  readonly note: (write: Promise<void> | undefined) => void
  /** Once a minute at most. */
  readonly warnOfQuery: (keyHeader: string) => void
  /** Ends when all that was noted is written. */
  readonly settled: () => Promise<void>
}

export interface UseNotesOptions {
  readonly log: Log
  /** Milliseconds since 1970. */
  readonly now: () => number
}

export function createUseNotes({ log, now }: UseNotesOptions): UseNotes {
  const writing = new Set<Promise<void>>()
  let warnedAt = Number.NEGATIVE_INFINITY

  return {
    note: (write) => {
      if (write === undefined) return
      const written = write
        .catch((err: unknown) => log.warn({ err }, 'the use of a credential could not be noted'))
        .finally(() => writing.delete(written))
      writing.add(written)
    },
    warnOfQuery: (keyHeader) => {
      if (Math.abs(now() - warnedAt) < warningSpacing) return
      warnedAt = now()
      log.warn(`API keys come in the URL, where proxies and logs see them; send them as ${keyHeader}`)
    },
    settled: async () => {
      await Promise.all(writing)
    },
  }
}

/** In milliseconds. */
const warningSpacing = 60_000
