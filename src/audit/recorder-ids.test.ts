import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rowId } from '../store/row-id.ts'
import { createEventIds } from './recorder-ids.ts'

const time = 1_763_200_000_123_456

test('an id is a UUID of version 7 with the microsecond in its sorted part, as every row has it', () => {
  const random = Buffer.from('fedcba9876543210', 'hex')
  const newId = createEventIds(() => random)
  assert.equal(newId(time), rowId(time, random))
})

test('ids are in the order in which they were asked for, and none comes twice', () => {
  const newId = createEventIds()
  const times = Array.from({ length: 2000 }, (_, index) => time + Math.floor(index / 3) - (index % 2))
  const ids = times.map((one) => newId(one))
  assert.deepEqual(ids, ids.toSorted())
  assert.equal(new Set(ids).size, ids.length)
})
