import type { Clock } from '../store/clock.ts'
import type { AuditChain } from '../store/tables-audit.ts'
import { timestamp } from '../store/timestamp.ts'
import { clocksDiffer } from './recorded-time.ts'

export type OnAhead = (words: string) => void

/** What the next event is recorded at: never before the last one, whatever the clock says. */
export function createRecordClock(
  now: Clock,
  onAhead: OnAhead,
): (last: Pick<AuditChain, 'created_at'>) => number {
  let toldAt = Number.NEGATIVE_INFINITY
  return ({ created_at }) => {
    const time = now()
    if (created_at - time > clocksDiffer && time - toldAt >= spacing) {
      toldAt = time
      onAhead(
        `the last event was recorded at ${timestamp(created_at)}, and it is ${timestamp(time)}: another gateway had a fast clock, or this one has a slow one. Set it right; what is recorded until then has that time for its created_at, and its own time beside it`,
      )
    }
    return Math.max(time, created_at)
  }
}

/** Ten minutes. */
const spacing = 600_000_000

export const recordIsAhead = 'THE RECORD IS AHEAD OF THE CLOCK'
