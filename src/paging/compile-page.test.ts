import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import fc from 'fast-check'
import { compilePage } from './compile-page.ts'
import type { KeyValue } from './key-value.ts'
import { pageArray } from './page-array.ts'
import type { PagePlan } from './page-plan.ts'
import { reversed, type SortKey } from './sort.ts'
import type { Statement } from './sql-writer.ts'

const source: Statement = { sql: 'SELECT * FROM notes', params: [] }
const id: SortKey = { column: 'id', type: 'integer', direction: 'descending', unique: true }
const uuid: SortKey = { column: 'id', type: 'uuid', direction: 'descending', unique: true }
const at: SortKey = { column: 'at', type: 'timestamptz', direction: 'descending' }
const name: SortKey = { column: 'name', type: 'text', direction: 'ascending', nulls: 'last' }

const start: PagePlan = { order: [at, uuid], after: null, bound: null, skip: 0, take: 3 }
const behind: PagePlan = { ...start, after: ['2026-11-15 10:00:00.000001+00', 'the id'] }

test('keys of one direction that are never null are compared as one row', () => {
  assert.deepEqual(compilePage(behind, source, 'postgres'), {
    sql: 'SELECT * FROM (SELECT * FROM notes) AS "list" WHERE ("at", "id") < ($1, $2) ORDER BY "at" DESC, "id" DESC LIMIT 3',
    params: ['2026-11-15 10:00:00.000001+00', 'the id'],
  })
  const up = { ...behind, order: reversed(behind.order) }
  assert.match(compilePage(up, source, 'postgres').sql, /\("at", "id"\) > \(.*ORDER BY "at" ASC, "id" ASC/)
  assert.match(compilePage(behind, source, 'sqlite').sql, /WHERE \("at", "id"\) < \(\?, \?\)/)
})

test('an integer id, which may be the rowid, is sought by ranges on SQLite and by row on Postgres', () => {
  const plan = { ...behind, order: [at, id], after: ['2026-11-15 10:00:00+00', 7] }
  assert.match(compilePage(plan, source, 'postgres').sql, /\("at", "id"\) </)
  const { sql, params } = compilePage(plan, source, 'sqlite')
  assert.match(sql, /"at" < \?.* UNION ALL .*"at" = \? AND "id" < \?/)
  assert.deepEqual(params, ['2026-11-15 10:00:00+00', '2026-11-15 10:00:00+00', 7])
})

test('mixed directions and nullable keys are a union of ranges', () => {
  const mixed = { ...behind, order: [at, { ...uuid, direction: 'ascending' }] } as const
  assert.deepEqual(compilePage(mixed, source, 'postgres').params.length, 3)
  assert.match(compilePage(mixed, source, 'postgres').sql, / UNION ALL /)
  const nullable = { ...start, order: [name, uuid], after: ['x', 'the id'] }
  const { sql } = compilePage(nullable, source, 'postgres')
  assert.equal(sql.split(' UNION ALL ').length, 3)
  assert.match(sql, /ORDER BY "name" ASC NULLS LAST, "id" DESC LIMIT 3$/)
})

test('a first page has no condition, and an offset is skipped by the database', () => {
  assert.equal(
    compilePage(start, source, 'sqlite').sql,
    'SELECT * FROM (SELECT * FROM notes) AS "list" ORDER BY "at" DESC, "id" DESC LIMIT 3',
  )
  assert.match(compilePage({ ...start, skip: 40 }, source, 'sqlite').sql, / LIMIT 3 OFFSET 40$/)
})

test('a bound stands in every range', () => {
  const plan = { ...behind, order: [at, id], after: ['x', 7], bound: { key: at, value: 'now' } }
  const { sql, params } = compilePage(plan, source, 'sqlite')
  assert.equal(sql.split('"at" <= ?').length, 3)
  assert.deepEqual(params, ['x', 'now', 'x', 7, 'now'])
  assert.match(
    compilePage({ ...start, bound: { key: at, value: 'now' } }, source, 'postgres').sql,
    /WHERE "at" <= \$1 ORDER/,
  )
})

test('the values of the source keep their places on both engines', () => {
  const plan = { ...behind, order: [at, id], after: ['x', 7] }
  const lite = compilePage(plan, { sql: 'SELECT * FROM notes WHERE owner = ?', params: ['me'] }, 'sqlite')
  assert.deepEqual(lite.params, ['me', 'x', 'me', 'x', 7])
  const post = compilePage(
    behind,
    { sql: 'SELECT * FROM notes WHERE owner = $1', params: ['me'] },
    'postgres',
  )
  assert.match(post.sql, /\$2, \$3/)
  assert.deepEqual(post.params, ['me', ...(behind.after ?? [])])
})

const directions = fc.constantFrom('ascending', 'descending')
const nulls = fc.constantFrom('first', 'last')

/** Text that would show itself if it ever became SQL. */
const values = fc.constantFrom<KeyValue>("x'; DROP TABLE notes; --", '$1', '?', null)

const plans: fc.Arbitrary<PagePlan> = fc
  .array(fc.tuple(directions, fc.option(nulls, { nil: undefined }), values), { maxLength: 3 })
  .chain((leading) =>
    fc
      .tuple(directions, fc.boolean(), fc.boolean(), fc.constantFrom('integer', 'float'))
      .map(([direction, isFirst, isBounded, type]): PagePlan => {
        const keys = leading.map(([way, placed], index): SortKey => {
          const key = { column: `k${index}`, type: 'text', direction: way } as const
          return placed === undefined ? key : { ...key, column: `n${index}`, nulls: placed }
        })
        const own: SortKey = { column: 'id', type, direction, unique: true }
        const after = [
          ...leading.map(([, placed, value]) => (placed === undefined ? (value ?? '') : value)),
          7,
        ]
        const bound = isBounded ? { key: own, value: 9 } : null
        return { order: [...keys, own], after: isFirst ? null : after, bound, skip: isFirst ? 5 : 0, take: 4 }
      }),
  )

test('whatever the order: no OR, no value in the text, and every placeholder has its value', () => {
  fc.assert(
    fc.property(plans, (plan) => {
      const lite = compilePage(plan, { sql: 'SELECT * FROM notes WHERE o = ?', params: ['me'] }, 'sqlite')
      const post = compilePage(plan, { sql: 'SELECT * FROM notes WHERE o = $1', params: ['me'] }, 'postgres')
      for (const { sql } of [lite, post]) assert.doesNotMatch(sql, /\bOR\b|DROP|'/)
      assert.equal(lite.sql.split('?').length - 1, lite.params.length)
      const used = new Set([...post.sql.matchAll(/\$(\d+)/g)].map(([, number]) => Number(number)))
      assert.deepEqual(
        [...used].sort((left, right) => left - right),
        post.params.map((_, index) => index + 1),
      )
    }),
    { numRuns: 1000 },
  )
})

test('SQLite reads the same page as the array, for every order and every position', () => {
  using db = new DatabaseSync(':memory:')
  db.exec('CREATE TABLE notes (id INTEGER PRIMARY KEY, k0, k1, k2, n0, n1, n2)')
  const insert = db.prepare('INSERT INTO notes VALUES (?, ?, ?, ?, ?, ?, ?)')
  for (let row = 1; row <= 64; row += 1) {
    const words = [row, row >> 2, row >> 4].map(
      (number) => ["x'; DROP TABLE notes; --", '$1', '?', ''][number % 4] ?? '',
    )
    insert.run(row, ...words, ...words.map((word) => (word === '' ? null : word)))
  }
  const rows = db.prepare('SELECT * FROM notes').all()
  fc.assert(
    fc.property(plans, (plan) => {
      const { sql, params } = compilePage(plan, source, 'sqlite')
      const found = db
        .prepare(sql)
        .all(...params.map((value) => (typeof value === 'number' ? value : String(value))))
      assert.deepEqual(found, pageArray(plan, rows))
    }),
    { numRuns: 300 },
  )
})
