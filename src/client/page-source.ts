export interface SourcePage<T> {
  readonly items: readonly T[]
  /** The position of the next page; null, and only null, is the end. */
  readonly next: string | null
  /** What the server said the whole list holds, where it said so; it may be an estimate. */
  readonly total?: number
}

/** Fetches one page: `null` is the first page, anything else is the `next` of an earlier one. */
export type PageSource<T> = (position: string | null, signal: AbortSignal) => Promise<SourcePage<T>>
