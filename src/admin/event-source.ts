/** One event as it goes out: `id` is what a caller gives back to go on behind it. */
interface SentEvent {
  readonly id: string
  /** Absent where nothing happened: the caller only learns how far it has come. */
  readonly data?: string
}

/** Events without an end, in bounded portions; it ends when the signal says so. */
export type EventSource = (signal: AbortSignal) => AsyncIterable<readonly SentEvent[]>
