import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createArena } from './arena.ts'

test('multiplying gives what the plain loop gives', () => {
  const [rows, columns] = [6, 48]
  const { allocate, multiply } = createArena(10, 8192)
  const weights = Float32Array.from({ length: rows * columns }, (_, at) => Math.sin(at * 7))
  const matrix = { weights: allocate(rows * columns), rows, columns }
  matrix.weights.set(weights)
  const input = allocate(columns)
  input.set(Float32Array.from(input, (_, at) => Math.cos(at * 3)))
  const output = allocate(rows)
  const after = allocate(1)

  multiply(matrix, input, output)

  for (let row = 0; row < rows; row += 1) {
    const expected = input.reduce((sum, value, at) => sum + value * (weights[row * columns + at] ?? 0), 0)
    assert.ok(Math.abs((output[row] ?? Number.NaN) - expected) < 1e-4, `row ${row}`)
  }
  assert.equal(after[0], 0)
})

test('what is allocated lies behind the weights and does not overlap', () => {
  const arena = createArena(10, 1024)
  const [one, other] = [arena.allocate(4), arena.allocate(4)]
  one.fill(1)
  other.fill(2)
  assert.deepEqual(
    [...arena.bytes],
    Array.from({ length: 10 }, () => 0),
  )
  assert.deepEqual([...one, ...other], [1, 1, 1, 1, 2, 2, 2, 2])
})
