import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { EventFilters } from '../../src/audit/event-filters.ts'
import type { EventsWanted } from '../../src/audit/event-statement.ts'
import type { Store, StoreSchema } from '../../src/store/store.ts'
import { start } from './audit-lines.ts'

/**
 * Every millisecond one. The rare values are where a list that begins with the newest would come to them last. The indexes
 * are made again afterwards, which takes a fraction of the time.
 */
export async function fillEvents({ db, dialect }: Store, count: number): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    if (dialect === 'postgres') {
      await sql`set local statement_timeout = 0`.execute(transaction)
      await sql`set local maintenance_work_mem = '256MB'`.execute(transaction)
      await sql`set local max_parallel_maintenance_workers = 0`.execute(transaction)
      // What the planner knows and which blocks are read must not depend on when somebody tidies up.
      await sql`alter table audit_events set (autovacuum_enabled = false)`.execute(transaction)
    }
    const { rows: indexes } = await indexQueries[dialect].execute(transaction)
    for (const { name } of indexes) await sql`drop index ${sql.ref(name)}`.execute(transaction)
    await insertEvents(transaction, numbers[dialect](count))
    for (const { definition } of indexes) await sql.raw(definition).execute(transaction)
    await sql`update audit_chain set seq = ${count}, created_at = ${start + count * 1000}`.execute(
      transaction,
    )
  })
}

interface Index {
  readonly name: string
  readonly definition: string
}

const indexQueries = {
  sqlite: sql<Index>`select name, sql as definition from sqlite_schema
    where type = 'index' and tbl_name = 'audit_events' and sql is not null`,
  postgres: sql<Index>`select indexname as name, indexdef as definition from pg_indexes
    where tablename = 'audit_events' and indexname <> 'audit_events_pkey'`,
} as const satisfies Record<Store['dialect'], unknown>

const numbers = {
  sqlite: (count: number) => sql`with recursive numbers (n) as (
      select 1 union all select n + 1 from numbers where n < ${sql.lit(count)}
    ) select n from numbers`,
  postgres: (count: number) => sql`select n from generate_series(1, ${sql.lit(count)}) as numbers (n)`,
} as const satisfies Record<Store['dialect'], unknown>

async function insertEvents(db: Kysely<StoreSchema>, given: RawBuilder<unknown>): Promise<void> {
  await sql`insert into audit_events (seq, created_at, principal, issuer, action, decision, surface, body, hash)
    select n, ${sql.lit(start)} + n * 1000,
      case when n <= 50 then 'rare' when n % 3 = 0 then 'busy' else 'user-' || n % 200 end,
      case when n % 1000 = 0 then 'https://other.example' else 'https://issuer.example' end,
      case when n <= 50 then 'rare' when n % 3 = 0 then 'busy' else 'tool-' || n % 100 end,
      case when n <= 50 then 'deny' else 'allow' end, case when n <= 50 then 'models' else 'tools' end,
      '{"id":"019a84cf-c400-7000-8000-000000000001","requestId":"' || n || '","reason":"ok","status":200}',
      '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'
    from (${given}) as given`.execute(db)
}

/** One of each kind, of what there is much, little and none. */
export function filtersFor(count: number): readonly EventFilters[] {
  const issuer = 'https://issuer.example'
  const middle = start + (count / 2) * 1000
  return [
    {},
    ...['busy', 'user-7', 'rare', 'none'].map((principal) => ({ principal, issuer })),
    ...['busy', 'tool-7', 'rare', 'none'].map((action) => ({ action })),
    { decision: 'allow' },
    { decision: 'deny' },
    { surface: 'tools' },
    { surface: 'models' },
    { surface: 'api' },
    { from: start },
    { from: middle },
    { to: middle },
    { from: middle, to: middle + 100_000 },
    { from: start, to: middle, principal: 'busy', issuer },
    { from: middle, action: 'rare' },
    { to: middle, decision: 'allow' },
  ]
}

/** The first page, one in the middle and one near the end, in either order. */
export function pagesOf(filters: EventFilters, count: number): readonly EventsWanted[] {
  return (['ascending', 'descending'] as const).flatMap((direction) =>
    [null, 0.5, 0.97].map((depth) => {
      const fraction = depth === null || direction === 'ascending' ? depth : 1 - depth
      const after = fraction === null ? null : Math.floor(count * fraction)
      return { filters, direction, after, limit: 21 }
    }),
  )
}
