import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { inspect } from 'node:util'
import { kyselyDatabase } from './sqlite-database.ts'

test('a number without a fraction is bound as an integer, any other as a real', () => {
  const statement = kyselyDatabase(new DatabaseSync(':memory:')).prepare('select typeof(?) as kind')
  const kinds = [5, -0, Number.MAX_SAFE_INTEGER, 5n, 0.5, Number.MAX_VALUE].map((value) =>
    statement.all([value]),
  )
  assert.deepEqual(
    kinds.flat(),
    ['integer', 'integer', 'integer', 'integer', 'real', 'real'].map((kind) => ({ kind })),
  )
})

test('booleans are bound as 0 and 1', () => {
  const statement = kyselyDatabase(new DatabaseSync(':memory:')).prepare('select ? as yes, ? as no')
  assert.deepEqual(statement.all([true, false]), [{ yes: 1, no: 0 }])
})

for (const value of [new Date(0), { a: 1 }, [1], undefined, Number.NaN, Symbol('x'), () => 1]) {
  test(`${inspect(value)} is refused instead of being bound as NULL`, () => {
    const statement = kyselyDatabase(new DatabaseSync(':memory:')).prepare('select ? as value')
    assert.throws(() => statement.all([value]), TypeError)
    assert.throws(() => statement.run([value]), TypeError)
  })
}

test('a statement that returns rows is a reader, also when it writes', () => {
  const database = new DatabaseSync(':memory:')
  database.exec('create table t (a)')
  const adapted = kyselyDatabase(database)
  const readers = [
    'select 1',
    'insert into t values (1) returning a',
    'insert into t values (1)',
    'delete from t',
  ]
  assert.deepEqual(
    readers.map((sql) => adapted.prepare(sql).reader),
    [true, true, false, false],
  )
})

test('a statement is reused until many others have been used since', () => {
  const adapted = kyselyDatabase(new DatabaseSync(':memory:'))
  const first = adapted.prepare('select 0')
  for (let other = 1; other < 200; other += 1) adapted.prepare(`select ${other}`)
  assert.equal(adapted.prepare('select 0'), first)
  for (let other = 1; other <= 200; other += 1) adapted.prepare(`select ${other}`)
  assert.notEqual(adapted.prepare('select 0'), first)
})

test('a reused statement sees the columns of a table that has changed', () => {
  const database = new DatabaseSync(':memory:')
  const adapted = kyselyDatabase(database)
  database.exec('create table t (a); insert into t values (1)')
  assert.deepEqual(adapted.prepare('select * from t').all([]), [{ a: 1 }])
  database.exec('alter table t add column b default 2')
  assert.deepEqual(adapted.prepare('select * from t').all([]), [{ a: 1, b: 2 }])
})

test('rows can be read one by one while the same query runs again', () => {
  const database = new DatabaseSync(':memory:')
  const statement = kyselyDatabase(database).prepare('select 1 as n union all select 2 union all select ?')
  const seen: unknown[] = []
  for (const row of statement.iterate([3])) {
    seen.push(row)
    statement.all([4])
  }
  assert.deepEqual(seen, [{ n: 1 }, { n: 2 }, { n: 3 }])
})
