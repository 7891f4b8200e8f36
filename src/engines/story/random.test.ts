import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createRandom } from './random.ts'

const draw = (seed: number, stream: number): readonly number[] => {
  const random = createRandom(seed, stream)
  return Array.from({ length: 2000 }, random)
}

test('the same seed and stream give the same numbers, others give others', () => {
  assert.deepEqual(draw(7, 0), draw(7, 0))
  assert.notDeepEqual(draw(7, 0), draw(8, 0))
  assert.notDeepEqual(draw(7, 0), draw(7, 1))
})

test('numbers lie from 0 to below 1 and spread evenly', () => {
  const numbers = draw(-3, 2)
  assert.ok(numbers.every((number) => number >= 0 && number < 1))
  const mean = numbers.reduce((sum, number) => sum + number, 0) / numbers.length
  assert.ok(Math.abs(mean - 0.5) < 0.03, `mean ${mean}`)
})
