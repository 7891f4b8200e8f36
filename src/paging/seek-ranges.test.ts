import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Position } from './key-value.ts'
import { type SeekRange, seekRanges } from './seek-ranges.ts'
import type { SortKey } from './sort.ts'

const id: SortKey = { column: 'id', type: 'integer', direction: 'ascending', unique: true }
const name: SortKey = { column: 'name', type: 'text', direction: 'descending' }

test('without a position the whole list is one range', () => {
  assert.deepEqual(ranges([name, id], null), ['all by name id'])
})

test('the nulls of a leading key are a range of their own from the first page on', () => {
  assert.deepEqual(ranges([{ ...name, nulls: 'first' }, id], null), [
    'name set by name id',
    'name null by id',
  ])
})

test('behind a position each key has its range: those before it equal, itself after', () => {
  assert.deepEqual(ranges([name, id], ['x', 7]), [
    'name after x by name id',
    'name equal x, id after 7 by id',
  ])
})

test('nulls last: nulls follow every value, and nothing follows a null but other nulls', () => {
  const sort: readonly SortKey[] = [{ ...name, nulls: 'last' }, id]
  assert.deepEqual(ranges(sort, ['x', 7]), [
    'name after x by name id',
    'name null by id',
    'name equal x, id after 7 by id',
  ])
  assert.deepEqual(ranges(sort, [null, 7]), ['name null, id after 7 by id'])
})

test('nulls first: every value follows a null, and no null follows a value', () => {
  const sort: readonly SortKey[] = [{ ...name, nulls: 'first' }, id]
  assert.deepEqual(ranges(sort, ['x', 7]), ['name after x by name id', 'name equal x, id after 7 by id'])
  assert.deepEqual(ranges(sort, [null, 7]), ['name set by name id', 'name null, id after 7 by id'])
})

test('a range in which a key cannot be null does not sort by its nulls', () => {
  for (const { order, tests } of seekRanges(plan([{ ...name, nulls: 'last' }, id], null)))
    assert.ok(order.every((key) => key.nulls === undefined || tests.length === 0))
})

function plan(order: readonly SortKey[], after: Position | null): Parameters<typeof seekRanges>[0] {
  return { order, after, bound: null, skip: 0, take: 11 }
}

function ranges(order: readonly SortKey[], after: Position | null): string[] {
  return seekRanges(plan(order, after)).map(told)
}

function told({ tests, order }: SeekRange): string {
  const conditions = tests.map(({ key, is, value }) =>
    [key.column, is, ...(value === null ? [] : [value])].join(' '),
  )
  return `${conditions.join(', ') || 'all'} by ${order.map((key) => key.column).join(' ')}`
}
