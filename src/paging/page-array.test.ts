import assert from 'node:assert/strict'
import { test } from 'node:test'
import { refusal } from '../../test/paging/event-list.ts'
import type { KeyValue } from './key-value.ts'
import { pageArray } from './page-array.ts'
import type { PagePlan } from './page-plan.ts'
import type { KeyType, SortKey } from './sort.ts'

const id: SortKey = { column: 'id', type: 'integer', direction: 'ascending', unique: true }
const everything = { after: null, bound: null, skip: 0, take: 100 } as const

const inOrder: readonly (readonly [KeyType, readonly unknown[]])[] = [
  ['integer', [-5, 0, 9, 10, 9007199254740993n, 9007199254740995n]],
  ['float', [-1.5, 0, 0.1, 1e21]],
  ['text', ['', 'B', 'a', 'e\u0301', '\u00e9', '\uffff', '\u{1f600}']],
  ['uuid', ['00000000-0000-4000-8000-000000000001', 'f0000000-0000-4000-8000-000000000000']],
  ['boolean', [false, true]],
  ['timestamptz', ['2026-11-15 10:00:00+00', '2026-11-15 10:00:00.000001+00', '2026-11-15 10:00:00.1+00']],
  ['timestamp', ['2026-11-15 09:59:59.999999', '2026-11-15 10:00:00']],
  ['date', ['2026-11-15', '2026-11-16']],
  ['bytes', [Uint8Array.of(), Uint8Array.of(0), Uint8Array.of(1, 255), Uint8Array.of(2)]],
]

for (const [type, values] of inOrder)
  test(`${type}: rows come in the order of the database, ascending and descending`, () => {
    const rows = values.map((k, index) => ({ id: index, k })).toReversed()
    const ascending: SortKey = { column: 'k', type, direction: 'ascending' }
    const up = pageArray({ ...everything, order: [ascending, id] }, rows)
    assert.deepEqual(
      up.map((row) => row.id),
      values.map((_, index) => index),
    )
    const down = pageArray({ ...everything, order: [{ ...ascending, direction: 'descending' }, id] }, rows)
    assert.deepEqual(down, up.toReversed())
  })

test('nulls stand where the key says, in either direction, and the next key orders them', () => {
  const rows = [
    { id: 4, k: null },
    { id: 3, k: 1 },
    { id: 2, k: null },
    { id: 1, k: 2 },
  ]
  const ids = (direction: SortKey['direction'], nulls: 'first' | 'last'): number[] =>
    pageArray({ ...everything, order: [{ column: 'k', type: 'integer', direction, nulls }, id] }, rows).map(
      (row) => row.id,
    )
  assert.deepEqual(ids('ascending', 'first'), [2, 4, 3, 1])
  assert.deepEqual(ids('ascending', 'last'), [3, 1, 2, 4])
  assert.deepEqual(ids('descending', 'first'), [2, 4, 1, 3])
  assert.deepEqual(ids('descending', 'last'), [1, 3, 2, 4])
})

test('a position is left behind strictly, also among equal keys and nulls', () => {
  const order: readonly SortKey[] = [
    { column: 'k', type: 'integer', direction: 'ascending', nulls: 'last' },
    id,
  ]
  const rows = [1, 1, null, null].map((k, index) => ({ id: index, k }))
  const after = (position: readonly KeyValue[]): number[] =>
    idsOf({ ...everything, order, after: position }, rows)
  assert.deepEqual(after([1, 0]), [1, 2, 3])
  assert.deepEqual(after([1, 1]), [2, 3])
  assert.deepEqual(after([null, 2]), [3])
  assert.deepEqual(after([null, 3]), [])
})

test('rows are skipped and taken as planned', () => {
  const rows = [0, 1, 2, 3, 4].map((one) => ({ id: one }))
  assert.deepEqual(idsOf({ ...everything, order: [id], skip: 1, take: 3 }, rows), [1, 2, 3])
  assert.deepEqual(idsOf({ ...everything, order: [id], skip: 9 }, rows), [])
})

test('a bound keeps what is at most its value, and no null', () => {
  const key: SortKey = { column: 'k', type: 'integer', direction: 'descending', nulls: 'last' }
  const rows = [5, 6, 7, null].map((k, index) => ({ id: index, k }))
  assert.deepEqual(idsOf({ ...everything, order: [key, id], bound: { key, value: 6 } }, rows), [1, 0])
  assert.deepEqual(idsOf({ ...everything, order: [key, id], bound: { key, value: null } }, rows), [])
})

test('the array is left as it was', () => {
  const rows = [{ id: 2 }, { id: 1 }]
  pageArray({ ...everything, order: [id] }, rows)
  assert.deepEqual(rows, [{ id: 2 }, { id: 1 }])
})

test('decimals are not compared as something else', () => {
  const order: readonly SortKey[] = [{ column: 'k', type: 'decimal', direction: 'ascending' }, id]
  const rows = ['9', '10'].map((k, index) => ({ id: index, k }))
  assert.match(
    refusal(() => pageArray({ ...everything, order }, rows)).message,
    /decimals are compared by a database/,
  )
})

test('a null in a key declared without nulls is loud', () => {
  const order: readonly SortKey[] = [{ column: 'k', type: 'text', direction: 'ascending' }, id]
  assert.equal(refusal(() => pageArray({ ...everything, order }, [{ id: 1, k: null }])).code, 'internal')
})

function idsOf(plan: PagePlan, rows: readonly { readonly id: number }[]): number[] {
  return pageArray(plan, rows).map((row) => row.id)
}
