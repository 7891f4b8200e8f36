import assert from 'node:assert/strict'
import { test } from 'node:test'
import { columnName, sqlWriter } from './sql-writer.ts'

const source = { sql: 'SELECT * FROM t WHERE a = ? AND b = ?', params: ['a', 'b'] }

test('SQLite: the values of the source are bound again each time it is written', () => {
  const writer = sqlWriter(source, 'sqlite')
  writer.source()
  assert.equal(writer.value({ column: 'k', type: 'text', direction: 'ascending' }, 'x'), '?')
  writer.source()
  assert.deepEqual(writer.params(), ['a', 'b', 'x', 'a', 'b'])
})

test('SQLite: a boolean is bound as the number it is stored as', () => {
  const writer = sqlWriter(source, 'sqlite')
  writer.value({ column: 'k', type: 'boolean', direction: 'ascending' }, true)
  writer.value({ column: 'k', type: 'boolean', direction: 'ascending' }, false)
  assert.deepEqual(writer.params(), [1, 0])
})

test('Postgres: the source is bound once, and every value after it has a number, and a type only if told', () => {
  const writer = sqlWriter({ sql: 'SELECT $1, $2', params: ['a', 'b'] }, 'postgres')
  assert.equal(writer.source() + writer.source(), 'SELECT $1, $2SELECT $1, $2')
  assert.equal(writer.value({ column: 'k', type: 'integer', direction: 'ascending' }, 7), '$3')
  assert.equal(
    writer.value({ column: 'k', type: 'text', direction: 'ascending', cast: 'citext' }, 'x'),
    '$4::citext',
  )
  assert.deepEqual(writer.params(), ['a', 'b', 7, 'x'])
})

test('a column is quoted, whatever it is called', () => {
  assert.equal(columnName({ column: 'a"; --', type: 'text', direction: 'ascending' }), '"a""; --"')
})
