import type { Statement } from '../paging/sql-writer.ts'
import type { Store } from '../store/store.ts'
import { type ColumnTest, type EventFilters, splitFilters } from './event-filters.ts'

export interface EventsWanted {
  /** With texts as the columns hold them. */
  readonly filters: EventFilters
  readonly direction: 'ascending' | 'descending'
  /** Only what follows the event of this number in that direction; null for all. */
  readonly after: number | null
  /** Nothing beyond this number, where several lists are to be of one moment. */
  readonly upTo?: number
  /** Nothing behind the event of this number in that direction. */
  readonly until?: number | undefined
  /** How many events that stretch may have up to there. */
  readonly looks?: number
  readonly limit: number
}

/**
 * Reads one stretch of one index, whatever the filters, the depth and the guesses of a planner: left to itself it may walk
 * all events in search of a rare one.
 */
export function eventStatement(dialect: Store['dialect'], wanted: EventsWanted): Statement {
  const { others } = splitFilters(wanted.filters)
  const { bind, params } = binding(dialect)
  const { source, tests, order } = stretchOf(dialect, wanted, bind)
  const stretch = `select ${shown} from ${source} where ${tests.join(' and ')}`
  const asked = others.map(([column, value]) => `${column} = ${bind(value)}`).join(' and ')
  const inOrder = `order by ${order} limit`
  if (asked === '') return { sql: `${stretch} ${inOrder} ${bind(wanted.limit)}`, params }
  // Postgres would look for another index that fits what is asked, were it not for the limit of the inner list.
  const sql =
    dialect === 'postgres'
      ? `select ${shown} from (${stretch} ${inOrder} ${bind(wanted.looks ?? lastNumber)}) as looked where ${asked}`
      : `${stretch} and ${asked}`
  return { sql: `${sql} ${inOrder} ${bind(wanted.limit)}`, params }
}

/** The number of the last of so many events of that stretch, also of those that the other filters leave out; none if it has fewer. */
export function placeStatement(dialect: Store['dialect'], wanted: EventsWanted, count: number): Statement {
  const { bind, params } = binding(dialect)
  const { source, tests, order } = stretchOf(dialect, wanted, bind)
  const sql = `select seq from ${source} where ${tests.join(' and ')} order by ${order} limit 1 offset ${bind(count - 1)}`
  return { sql, params }
}

/** The issuers that have a principal of this name, each found by one step in the index, and how far the log has come. */
export function issuerStatement(dialect: Store['dialect'], principal: string): Statement {
  const mark = dialect === 'postgres' ? '$1' : '?1'
  const source = dialect === 'postgres' ? 'audit_events' : 'audit_events indexed by audit_events_owner'
  const first = `select issuer from ${source} where principal = ${mark}`
  const sql = `with recursive found (issuer) as (
      select * from (${first} order by issuer limit 1) as least
      union all
      select (${first} and issuer > found.issuer order by issuer limit 1) from found where found.issuer is not null
    )
    select issuer, (select seq from audit_chain where id = 1) as head from found where issuer is not null`
  return { sql, params: [principal] }
}

const shown = 'seq, created_at, principal, issuer, action, decision, surface, body, hash'

type Bind = (value: unknown) => string

function binding(dialect: Store['dialect']): { readonly bind: Bind; readonly params: readonly unknown[] } {
  const params: unknown[] = []
  const mark = dialect === 'postgres' ? '$' : '?'
  return { bind: (value) => `${mark}${params.push(value)}`, params }
}

function stretchOf(
  dialect: Store['dialect'],
  wanted: EventsWanted,
  bind: Bind,
): { readonly source: string; readonly tests: readonly string[]; readonly order: string } {
  const { index, leading } = splitFilters(wanted.filters)
  const bounds = boundsOf(dialect, wanted, bind)
  const { source, tests, order } = stretches[dialect]({ index, leading, bounds, bind })
  const word = wanted.direction === 'ascending' ? 'asc' : 'desc'
  return { source, tests, order: order.map((column) => `${column} ${word}`).join(', ') }
}

interface Bounds {
  readonly low: string
  readonly high: string
}

/** Times are in the order of the numbers, so a time is a number: every page then costs the same. */
function boundsOf(dialect: Store['dialect'], wanted: EventsWanted, bind: Bind): Bounds {
  const { filters, direction, after, until, upTo = lastNumber } = wanted
  const { least, greatest, number } = words[dialect]
  const isAscending = direction === 'ascending'
  const begin = isAscending ? (after ?? -1) + 1 : Math.min((after ?? lastNumber) - 1, upTo)
  const end = isAscending ? Math.min(until ?? upTo, upTo) : (until ?? 0)
  const lows = [`${bind(isAscending ? begin : end)}${number}`]
  const highs = [`${bind(isAscending ? end : begin)}${number}`]
  if (filters.from !== undefined) {
    const first = `select seq from audit_events where created_at >= ${bind(filters.from)}${number}`
    lows.push(`coalesce((${first} order by created_at, seq limit 1), ${lastNumber})`)
  }
  if (filters.to !== undefined) {
    const last = `select seq from audit_events where created_at <= ${bind(filters.to)}${number}`
    highs.push(`coalesce((${last} order by created_at desc, seq desc limit 1), 0)`)
  }
  return { low: chosen(greatest, lows), high: chosen(least, highs) }
}

function chosen(word: string, values: readonly string[]): string {
  return values.length === 1 ? values.join() : `${word}(${values.join(', ')})`
}

const lastNumber = Number.MAX_SAFE_INTEGER

const words = {
  sqlite: { least: 'min', greatest: 'max', number: '' },
  postgres: { least: 'least', greatest: 'greatest', number: '::bigint' },
} as const satisfies Record<Store['dialect'], unknown>

interface StretchOptions {
  readonly index: string | undefined
  readonly leading: readonly ColumnTest[]
  readonly bounds: Bounds
  readonly bind: Bind
}

interface Stretch {
  readonly source: string
  readonly tests: readonly string[]
  readonly order: readonly string[]
}

const stretches = { sqlite: namedIndex, postgres: rowsBetween } as const satisfies Record<
  Store['dialect'],
  (options: StretchOptions) => Stretch
>

/** SQLite takes the index it is told, or none. */
function namedIndex({ index, leading, bounds, bind }: StretchOptions): Stretch {
  const equals = leading.map(([column, value]) => `${column} = ${bind(value)}`)
  return {
    source: index === undefined ? 'audit_events not indexed' : `audit_events indexed by ${index}`,
    tests: [...equals, `seq >= ${bounds.low}`, `seq <= ${bounds.high}`],
    order: ['seq'],
  }
}

/** Postgres cannot be told, but only one index has the order of these rows; an equality would make others fit. */
function rowsBetween({ leading, bounds, bind }: StretchOptions): Stretch {
  const columns = [...leading.map(([column]) => column), 'seq']
  const values = leading.map(([, value]) => `${bind(value)}::text`)
  const row = `(${columns.join(', ')})`
  return {
    source: 'audit_events',
    tests: [
      `${row} >= (${[...values, bounds.low].join(', ')})`,
      `${row} <= (${[...values, bounds.high].join(', ')})`,
    ],
    order: columns,
  }
}
