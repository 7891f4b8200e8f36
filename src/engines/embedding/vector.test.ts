import assert from 'node:assert/strict'
import { test } from 'node:test'
import { meanVector, shortened } from './vector.ts'

test('a shortened vector has the first values at length one', () => {
  assert.deepEqual(shortened([3, 4, 12], 2), [0.6, 0.8])
  assert.deepEqual(shortened([0, 0, 1], 2), [0, 0])
})

test('the mean is weighted', () => {
  const parts = [
    { values: [1, 0], weight: 0.75 },
    { values: [0, 1], weight: 0.25 },
  ]
  assert.deepEqual(meanVector(parts), [0.75, 0.25])
})
