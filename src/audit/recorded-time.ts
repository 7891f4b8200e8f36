import type { Kysely } from 'kysely'
import type { StoreSchema } from '../store/store.ts'
import type { AuditEvent } from '../store/tables-audit.ts'
import { parseRecord } from './audit-line.ts'

/** By how much the clocks of gateways may, in microseconds; what is further ahead is taken for wrong. */
export const clocksDiffer = 60_000_000

type Timed = Pick<AuditEvent, 'seq' | 'created_at' | 'body'>

/**
 * When each of these events was recorded at the latest, in microseconds; infinite where nothing says so. The time of an event
 * is never before that of the event before it: after one from a fast clock all seem to be of the future. Where that is,
 * beyond `reach`, the event's own time is taken; and where this is of the future as well, that of an event behind it.
 */
export async function recordedTimes(
  db: Kysely<StoreSchema>,
  events: readonly Timed[],
  reach: number,
): Promise<readonly number[]> {
  const own = events.map((event) => knownTime(event, reach))
  let following = own.at(-1) ?? (await timeBehind(db, events.at(-1)?.seq ?? 0, reach))
  const times: number[] = []
  for (const time of own.toReversed()) {
    following = time ?? following
    times.push(following)
  }
  return times.toReversed()
}

/** There may be any number of such events in a row, so ever longer steps are made. */
async function timeBehind(db: Kysely<StoreSchema>, seq: number, reach: number): Promise<number> {
  for (let step = 1, at = seq; ; step *= 2) {
    const event = await db
      .selectFrom('audit_events')
      .select(['seq', 'created_at', 'body'])
      .where('seq', '>', at)
      .where('seq', '<=', seq + step)
      .orderBy('seq', 'desc')
      .limit(1)
      .executeTakeFirst()
    if (event === undefined) return Number.POSITIVE_INFINITY
    const time = knownTime(event, reach)
    if (time !== undefined) return time
    at = event.seq
  }
}

function knownTime({ created_at, body }: Timed, reach: number): number | undefined {
  if (created_at < reach) return created_at
  const own = parseRecord(body)?.time
  return own !== undefined && own < reach ? own : undefined
}
