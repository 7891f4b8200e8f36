import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newest, refusal } from '../../test/paging/event-list.ts'
import { checkSort, reversed, type Sort, type SortKey, sortSignature } from './sort.ts'

const id: SortKey = { column: 'id', type: 'integer', direction: 'ascending', unique: true }
const name: SortKey = { column: 'name', type: 'text', direction: 'ascending' }
const rank: SortKey = { column: 'rank', type: 'integer', direction: 'descending', nulls: 'last' }

test('an order whose last key is unique and never null is accepted', () => {
  for (const sort of [[id], [name, id], [rank, name, id], newest])
    assert.doesNotThrow(() => checkSort('s', sort))
})

test('an order in which two rows could stand at the same place is refused', () => {
  const ambiguous: readonly Sort[] = [[], [name], [id, name], [name, rank], [{ ...id, nulls: 'first' }]]
  for (const sort of ambiguous) {
    const failure = refusal(() => checkSort('by name', sort))
    assert.equal(failure.code, 'misconfigured')
    assert.equal(
      failure.message,
      'sort "by name" must end in a key that is unique and never null, such as the id',
    )
  }
})

test('an order that names a column twice is refused', () => {
  const failure = refusal(() => checkSort('s', [{ ...id, direction: 'descending' }, name, id]))
  assert.equal(failure.code, 'misconfigured')
  assert.match(failure.message, /names a column twice/)
})

test('a cast is the name of a type and nothing else', () => {
  for (const cast of ['citext', 'public.mood', '_int4'])
    assert.doesNotThrow(() => checkSort('s', [{ ...name, cast }, id]))
  for (const cast of ['', 'text; DROP TABLE x', 'text)', 'Mood', '"mood"', 'a.b.c', 'text\n', 'int8::text']) {
    const failure = refusal(() => checkSort('s', [{ ...name, cast }, id]))
    assert.equal(failure.code, 'misconfigured')
    assert.match(failure.message, /is not the name of a Postgres type/)
  }
})

test('turning an order round flips every direction and every placement of nulls', () => {
  assert.deepEqual(reversed([rank, name, id]), [
    { ...rank, direction: 'ascending', nulls: 'first' },
    { ...name, direction: 'descending' },
    { ...id, direction: 'descending' },
  ])
  assert.deepEqual(reversed(reversed([rank, name, id])), [rank, name, id])
})

test('everything that gives an order its meaning is in its signature', () => {
  const sort = [rank, id]
  const changed: readonly Sort[] = [
    [id],
    [id, rank],
    [{ ...rank, column: 'score' }, id],
    [{ ...rank, type: 'float' }, id],
    [{ ...rank, direction: 'ascending' }, id],
    [{ ...rank, nulls: 'first' }, id],
    [{ column: 'rank', type: 'integer', direction: 'descending' }, id],
    [{ ...rank, cast: 'int2' }, id],
  ]
  const signatures = [sort, ...changed].map((one) => JSON.stringify(sortSignature(one)))
  assert.equal(new Set(signatures).size, signatures.length)
  assert.deepEqual(sortSignature([{ ...rank }, { ...id }]), sortSignature(sort))
})
