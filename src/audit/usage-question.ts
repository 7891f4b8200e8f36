import type { UsageHour } from '../store/tables-audit.ts'

/** What was used in one hour or day by whoever the row names; empty where the rows are not told apart by that. */
export interface UsageRow extends Omit<UsageHour, 'hour'> {
  /** The beginning of the hour or of the day, UTC, in microseconds. */
  readonly bucket: number
}

export interface UsageQuestion {
  readonly bucket: 'hour' | 'day'
  /** What the rows are told apart by, besides their time; principals of two issuers are two. */
  readonly by: readonly ('principal' | 'target' | 'surface')[]
  readonly filters: UsageFilters
}

interface UsageFilters {
  readonly principal?: string | undefined
  readonly issuer?: string | undefined
  readonly target?: string | undefined
  readonly surface?: UsageHour['surface'] | undefined
  /** From the bucket that this microsecond is in. */
  readonly from?: number | undefined
  /** To the bucket that this microsecond is in. */
  readonly to?: number | undefined
}
