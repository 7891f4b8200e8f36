import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compilePage } from '../../src/paging/compile-page.ts'
import type { KeyValue } from '../../src/paging/key-value.ts'
import type { PagePlan } from '../../src/paging/page-plan.ts'
import type { Sort, SortKey } from '../../src/paging/sort.ts'
import { engines, type RawEngine } from './raw-engines.ts'

/** 100,000 rows; rows 30,001 to 60,000 share one timestamp; every third rank is null. */
async function fill(engine: RawEngine): Promise<void> {
  const time = 'CASE WHEN i BETWEEN 30001 AND 60000 THEN 30001 ELSE i END'
  const columns = `${time}, CASE WHEN i % 3 = 0 THEN NULL ELSE i END`
  const series =
    engine.dialect === 'postgres'
      ? 'generate_series(1, 100000) AS s(i)'
      : '(WITH RECURSIVE s(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM s WHERE i < 100000) SELECT i FROM s)'
  const text = engine.dialect === 'postgres' ? `lpad(i::text, 6, '0')` : `printf('%06d', i)`
  const collation = engine.dialect === 'postgres' ? 'COLLATE "C"' : ''
  await engine.all('CREATE TABLE by_rowid (id integer PRIMARY KEY, created_at bigint NOT NULL, rank integer)')
  await engine.all(`INSERT INTO by_rowid SELECT i, ${columns} FROM ${series}`)
  await engine.all(
    `CREATE TABLE by_text (id text ${collation} PRIMARY KEY, created_at bigint NOT NULL, rank integer)`,
  )
  await engine.all(`INSERT INTO by_text SELECT ${text}, ${columns} FROM ${series}`)
  for (const table of ['by_rowid', 'by_text']) {
    await engine.all(`CREATE INDEX ${table}_time ON ${table} (created_at, id)`)
    await engine.all(`CREATE INDEX ${table}_rank ON ${table} (rank, id)`)
  }
  await engine.all('ANALYZE')
}

const idKeys = {
  by_rowid: { column: 'id', type: 'integer', direction: 'ascending', unique: true },
  by_text: { column: 'id', type: 'text', direction: 'ascending', unique: true },
} as const satisfies Record<string, SortKey>

const time: SortKey = { column: 'created_at', type: 'integer', direction: 'ascending' }
const rank: SortKey = { column: 'rank', type: 'integer', direction: 'descending', nulls: 'last' }

/** Each place is where a careless statement would read tens of thousands of rows. */
const places: readonly {
  name: string
  sort: (id: SortKey) => Sort
  at: (id: KeyValue) => readonly KeyValue[]
}[] = [
  { name: 'the middle of the tie group', sort: (id) => [time, id], at: (id) => [30_001, id] },
  {
    name: 'the middle of the tie group, backwards',
    sort: (id) => [
      { ...time, direction: 'descending' },
      { ...id, direction: 'descending' },
    ],
    at: (id) => [30_001, id],
  },
  {
    name: 'the middle of the tie group, mixed directions',
    sort: (id) => [{ ...time, direction: 'descending' }, id],
    at: (id) => [30_001, id],
  },
  { name: '90 % of the list', sort: (id) => [time, id], at: () => [90_000, null] },
  { name: 'a nullable key', sort: (id) => [rank, id], at: (id) => [45_001, id] },
  { name: 'the nulls of a nullable key', sort: (id) => [rank, id], at: (id) => [null, id] },
]

function planAt(place: (typeof places)[number], table: keyof typeof idKeys): PagePlan {
  const number = place.name.startsWith('90') ? 90_000 : 45_000
  const id = table === 'by_text' ? String(number).padStart(6, '0') : number
  const after = place.at(id).map((value, index) => (index === 1 ? id : value))
  return { order: place.sort(idKeys[table]), after, bound: null, skip: 0, take: 101 }
}

for (const { name, open } of engines)
  test(`${name}: a page starts in the middle of an index and reads little more than itself`, async (t) => {
    await using engine = await open()
    await fill(engine)
    for (const table of ['by_rowid', 'by_text'] as const)
      for (const place of places)
        await t.test(`${table}, ${place.name}`, async () => {
          const source = { sql: `SELECT id, created_at, rank FROM ${table}`, params: [] }
          const { sql, params } = compilePage(planAt(place, table), source, engine.dialect)
          await checks[engine.dialect](engine, sql, params)
        })
  })

for (const { name, open } of engines)
  test(`${name}: the same page written with OR does not pass these checks`, async () => {
    await using engine = await open()
    await fill(engine)
    const tests = 'created_at > 30001 OR (created_at = 30001 AND id > 45000)'
    const sql = `SELECT * FROM by_rowid WHERE ${tests} ORDER BY created_at, id LIMIT 101`
    await assert.rejects(checks[engine.dialect](engine, sql, []), assert.AssertionError)
  })

type Check = (engine: RawEngine, sql: string, params: readonly unknown[]) => Promise<void>

const checks = { sqlite: checkSqlite, postgres: checkPostgres } as const satisfies Record<string, Check>

/** Every range must be a SEARCH, and one of them must start at the position itself, by all of its columns. */
async function checkSqlite(engine: RawEngine, sql: string, params: readonly unknown[]): Promise<void> {
  const steps = (await engine.all(`EXPLAIN QUERY PLAN ${sql}`, params)).map((row) =>
    String(Reflect.get(row, 'detail')),
  )
  const searches = steps.filter((step) => step.startsWith('SEARCH'))
  assert.ok(searches.length >= 1, steps.join('\n'))
  assert.deepEqual(
    steps.filter((step) => /^SCAN (?!page|range|list|\()/.test(step)),
    [],
    steps.join('\n'),
  )
  const seeks = (await engine.all(`EXPLAIN ${sql}`, params)).filter((row) =>
    /^Seek[GL][ET]$/.test(String(Reflect.get(row, 'opcode'))),
  )
  const columns = seeks.map((row) => Number(Reflect.get(row, 'p4')))
  assert.ok(
    columns.some((count) => count >= 2),
    `no seek by both columns: ${columns.join()}`,
  )
  const ranges = sql.split('UNION ALL').length
  assert.ok(searches.length >= ranges, steps.join('\n'))
}

async function checkPostgres(engine: RawEngine, sql: string, params: readonly unknown[]): Promise<void> {
  const rows = await engine.all(`EXPLAIN (ANALYZE, BUFFERS) ${sql}`, params)
  const text = rows.map((row) => String(Reflect.get(row, 'QUERY PLAN'))).join('\n')
  const removed = [...text.matchAll(/Rows Removed by Filter: (\d+)/g)].map((match) => Number(match[1]))
  assert.ok(
    removed.every((count) => count <= 500),
    text,
  )
  const buffers = /Buffers: shared hit=(\d+)(?: read=(\d+))?/.exec(text)
  assert.ok(Number(buffers?.[1] ?? 0) + Number(buffers?.[2] ?? 0) <= 250, text)
  assert.doesNotMatch(text, /Seq Scan/)
}
