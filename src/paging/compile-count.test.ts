import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { after, test } from 'node:test'
import { eventPager, eventsUpTo, refusal } from '../../test/paging/event-list.ts'
import { compileCount, readCount } from './compile-count.ts'
import { compilePage } from './compile-page.ts'
import type { CountPlan } from './count-plan.ts'
import type { Total } from './page.ts'
import type { Statement } from './sql-writer.ts'

const db = new DatabaseSync(':memory:')
after(() => db.close())
db.exec('CREATE TABLE events (id INTEGER PRIMARY KEY, created_at TEXT NOT NULL, kind TEXT NOT NULL) STRICT')
const insert = db.prepare('INSERT INTO events VALUES (?, ?, ?)')
for (const { id, created_at, kind } of eventsUpTo(25)) insert.run(id, created_at, kind)

const all: Statement = { sql: 'SELECT * FROM events', params: [] }
const calls: Statement = { sql: 'SELECT * FROM events WHERE kind = ?', params: ['call'] }
const exact: CountPlan = { kind: 'exact' }

test('an exact count counts what the source selects, its values included', () => {
  assert.deepEqual(counted(exact, all), { value: 25, kind: 'exact' })
  assert.deepEqual(counted(exact, calls), { value: 13, kind: 'exact' })
})

test('a bounded count is exact up to its bound and says at least beyond it', () => {
  assert.deepEqual(counted({ kind: 'bounded', atMost: 26 }, all), { value: 25, kind: 'exact' })
  assert.deepEqual(counted({ kind: 'bounded', atMost: 25 }, all), { value: 25, kind: 'exact' })
  assert.deepEqual(counted({ kind: 'bounded', atMost: 24 }, all), { value: 24, kind: 'at_least' })
  assert.deepEqual(counted({ kind: 'bounded', atMost: 12 }, calls), { value: 12, kind: 'at_least' })
})

test('a bounded count stops reading at its bound', () => {
  const { sql } = compileCount({ kind: 'bounded', atMost: 10 }, all, 'sqlite')
  assert.match(sql, /LIMIT 11\)/)
})

test('an estimate on SQLite, which makes none, is a bounded count', () => {
  assert.deepEqual(counted({ kind: 'estimate' }, all), { value: 25, kind: 'exact' })
  assert.match(compileCount({ kind: 'estimate' }, all, 'sqlite').sql, /LIMIT 10001\)/)
  assert.deepEqual(readCount({ kind: 'estimate' }, { total: 10_001 }, 'sqlite'), {
    value: 10_000,
    kind: 'at_least',
  })
})

test('an estimate on Postgres asks the planner and runs nothing', () => {
  const source = { sql: 'SELECT * FROM events WHERE kind = $1', params: ['call'] }
  assert.deepEqual(compileCount({ kind: 'estimate' }, source, 'postgres'), {
    sql: 'EXPLAIN (FORMAT JSON) SELECT * FROM events WHERE kind = $1',
    params: ['call'],
  })
  const plan = [{ Plan: { 'Node Type': 'Seq Scan', 'Plan Rows': 981_214 } }]
  for (const answer of [plan, JSON.stringify(plan)])
    assert.deepEqual(readCount({ kind: 'estimate' }, { 'QUERY PLAN': answer }, 'postgres'), {
      value: 981_214,
      kind: 'estimate',
    })
})

test('a count is read as a number, a bigint or digits', () => {
  for (const total of [7, 7n, '7'])
    assert.deepEqual(readCount(exact, { total }, 'postgres'), { value: 7, kind: 'exact' })
})

test('an answer without a count is refused instead of shown', () => {
  const answers = [
    undefined,
    {},
    { total: null },
    { total: 'many' },
    { total: 1.5 },
    { total: 2n ** 60n },
    { total: '' },
  ]
  for (const row of answers) {
    const failure = refusal(() => readCount(exact, row, 'sqlite'))
    assert.deepEqual(
      [failure.code, failure.message],
      ['internal', 'the database did not answer with a count'],
    )
  }
  const plans = [undefined, {}, { 'QUERY PLAN': null }, { 'QUERY PLAN': [] }, { 'QUERY PLAN': [{ Plan: 3 }] }]
  for (const row of plans)
    assert.equal(refusal(() => readCount({ kind: 'estimate' }, row, 'postgres')).code, 'internal')
})

test('the total of a bounded list counts what its walk will show, and nothing newer', () => {
  const pager = eventPager({ total: 'exact', asOf: 'created_at' })
  const request = pager.parse({ limit: '5' }, { asOf: '2026-11-15 10:00:00.100001+00' })
  const page = compilePage(pager.plan({ ...request, limit: 99 }), all, 'sqlite')
  const shown = db.prepare(page.sql).all(...page.params.map(String)).length
  const count = pager.count(request, 6)
  assert.ok(count !== null)
  assert.deepEqual(counted(count, all), { value: shown, kind: 'exact' })
})

function counted(count: CountPlan, source: Statement): Total {
  const { sql, params } = compileCount(count, source, 'sqlite')
  return readCount(count, db.prepare(sql).get(...params.map(String)), 'sqlite')
}
