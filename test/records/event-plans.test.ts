import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CompiledQuery, type Kysely, sql } from 'kysely'
import type { EventFilters } from '../../src/audit/event-filters.ts'
import { eventStatement, issuerStatement, placeStatement } from '../../src/audit/event-statement.ts'
import type { Statement } from '../../src/paging/sql-writer.ts'
import { migrations } from '../../src/store/migrations.ts'
import type { Store, StoreSchema } from '../../src/store/store.ts'
import { forEachEngine } from '../store/engines.ts'
import { fillEvents, filtersFor, pagesOf } from './many-events.ts'

const count = 30_000

forEachEngine((engine) => {
  test('with every filter, in either order and at any depth, a page reads one stretch of one index', async (t) => {
    await using store = await engine.open<StoreSchema>(migrations)
    await fillEvents(store, count)
    await t.test('a filter that no index serves does not pass these checks', async () => {
      const text = `select * from audit_events where body like '%"7"%' order by seq desc limit 21`
      await assert.rejects(checks[engine.dialect](store, { sql: text, params: [] }), assert.AssertionError)
    })
    for (const known of ['before the planner has statistics', 'with statistics']) {
      if (known === 'with statistics') await sql`analyze`.execute(store.db)
      for (const filters of filtersFor(count))
        await t.test(`${known}: ${JSON.stringify(filters)}`, async () => {
          for (const wanted of pagesOf(filters, count))
            await checks[engine.dialect](store, eventStatement(engine.dialect, wanted))
        })
      await t.test(`${known}: the issuers of a principal`, async () => {
        for (const principal of ['busy', 'rare', 'none'])
          await checks[engine.dialect](store, issuerStatement(engine.dialect, principal))
      })
    }
  })

  test('with several filters, a page reads a bounded stretch of one index', async (t) => {
    await using store = await engine.open<StoreSchema>(migrations)
    await fillEvents(store, many)
    for (const known of ['before the planner has statistics', 'with statistics']) {
      if (known === 'with statistics') await sql`analyze`.execute(store.db)
      for (const filters of severalFilters)
        await t.test(`${known}: ${JSON.stringify(filters)}`, async () => {
          for (const wanted of pagesOf(filters, many)) {
            const place = placeStatement(engine.dialect, wanted, looked)
            await checks[engine.dialect](store, place, looked)
            const query: CompiledQuery<{ readonly seq: number }> = CompiledQuery.raw(place.sql, [
              ...place.params,
            ])
            const until = (await store.db.executeQuery(query)).rows[0]?.seq
            await checks[engine.dialect](
              store,
              eventStatement(engine.dialect, { ...wanted, until, looks: looked }),
              looked,
            )
          }
        })
    }
  })
})

const looked = 2000
/** Of fewer, Postgres may rather read all that there are. */
const many = 200_000
const issuer = 'https://issuer.example'

const severalFilters: readonly EventFilters[] = [
  { principal: 'busy', issuer, action: 'none' },
  { principal: 'busy', issuer, action: 'busy', decision: 'deny' },
  { action: 'busy', decision: 'deny' },
  { decision: 'allow', surface: 'api' },
]

type Check = (store: Store, statement: Statement, looked?: number) => Promise<void>

const checks = { sqlite: checkSqlite, postgres: checkPostgres } as const satisfies Record<string, Check>

/** Only searches, each with an end on both sides in the order of the numbers, and nothing sorted. */
async function checkSqlite({ db }: Store, { sql: text, params }: Statement): Promise<void> {
  const query: CompiledQuery<{ readonly detail: string }> = CompiledQuery.raw(`explain query plan ${text}`, [
    ...params,
  ])
  const steps = (await db.executeQuery(query)).rows.map(({ detail }) => detail)
  const plan = steps.join('\n')
  const reads = steps.filter((step) => /^(SEARCH|SCAN) audit_events/.test(step))
  assert.ok(reads.length > 0, plan)
  for (const step of reads) assert.match(step, wayOf(text), plan)
  assert.doesNotMatch(plan, /TEMP B-TREE/)
}

function wayOf(text: string): RegExp {
  if (text.startsWith('with'))
    return /^SEARCH audit_events USING COVERING INDEX audit_events_owner \(principal=\?/
  return /^SEARCH audit_events USING (INTEGER PRIMARY KEY \(rowid>\? AND rowid<\?\)|(COVERING )?INDEX audit_events_(time \(created_at[<>]\?\)|\w+ \(((principal=\? AND issuer)|action|decision|surface)=\? AND rowid>\? AND rowid<\?\)))$/
}

/** Both as it is planned for these values and as it is once it is prepared for any. */
async function checkPostgres({ db }: Store, { sql: text, params }: Statement, looked = 0): Promise<void> {
  const explain = 'explain (analyze, buffers, timing off, format json)'
  const planned = await db.executeQuery<object>(CompiledQuery.raw(`${explain} ${text}`, [...params]))
  checkPlan(planned.rows, text, looked)
  const prepared = await db.connection().execute((connection) => prepareAndExplain(connection, text, params))
  checkPlan(prepared, text, looked)
}

async function prepareAndExplain(
  db: Kysely<StoreSchema>,
  text: string,
  params: readonly unknown[],
): Promise<readonly object[]> {
  const values = params.map((value) => (typeof value === 'string' ? `'${value}'` : String(value)))
  await sql`set plan_cache_mode = force_generic_plan`.execute(db)
  await sql.raw(`prepare page as ${text}`).execute(db)
  try {
    const explain = 'explain (analyze, buffers, timing off, format json)'
    return (await sql.raw<object>(`${explain} execute page (${values.join(', ')})`).execute(db)).rows
  } finally {
    await sql`deallocate page`.execute(db)
    await sql`reset plan_cache_mode`.execute(db)
  }
}

function checkPlan(rows: readonly object[], text: string, looked: number): void {
  const answer: unknown = Reflect.get(rows[0] ?? {}, 'QUERY PLAN')
  const plan = JSON.stringify(answer, null, 1)
  const context = `${text}\n${plan}`
  const steps = stepsIn(answer)
  const reads = steps.filter((step) => step['Relation Name'] === 'audit_events')
  assert.ok(reads.length > 0, context)
  for (const read of reads) assert.match(String(read['Node Type']), /^Index (Only )?Scan$/, context)
  for (const step of steps) {
    assert.doesNotMatch(String(step['Node Type']), /Sort|Bitmap/, context)
    assert.ok(Number(step['Rows Removed by Filter'] ?? 0) <= looked + 1, context)
    assert.ok(Number(step['Actual Rows'] ?? 0) <= Math.max(looked, 21), context)
  }
  assert.ok(buffersOf(plan) <= 80 + 2 * looked, context)
}

/** Every object in a plan that is a step of it. */
function stepsIn(value: unknown): readonly Readonly<Record<string, unknown>>[] {
  if (Array.isArray(value)) return value.flatMap(stepsIn)
  if (typeof value !== 'object' || value === null) return []
  const inner = Object.values(value).flatMap(stepsIn)
  return 'Node Type' in value ? [{ ...value }, ...inner] : inner
}

/** Of the outermost step, which has those of all others in it. */
function buffersOf(plan: string): number {
  const [, hit, read] = /"Shared Hit Blocks": (\d+),\s+"Shared Read Blocks": (\d+)/.exec(plan) ?? []
  assert.ok(hit !== undefined && read !== undefined, plan)
  return Number(hit) + Number(read)
}
