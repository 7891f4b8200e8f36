import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { repeatGuard } from './repeat-guard.ts'

test('a loop of up to 1,024 cursors is seen at its first repeat', () => {
  fc.assert(
    fc.property(fc.nat({ max: 3000 }), fc.integer({ min: 1, max: 1024 }), (tail, loop) => {
      assert.equal(stepsUntilSeen(tail, loop), tail + loop)
    }),
    { numRuns: 50 },
  )
})

test('a longer loop is seen too, within four times the cursors there are', () => {
  fc.assert(
    fc.property(fc.nat({ max: 5000 }), fc.integer({ min: 1025, max: 5000 }), (tail, loop) => {
      assert.ok(stepsUntilSeen(tail, loop) <= 4 * (tail + loop))
    }),
    { numRuns: 50 },
  )
})

test('100,000 different cursors are never taken for a repeat', () => {
  const isRepeated = repeatGuard(null)
  for (let index = 0; index < 100_000; index++) assert.equal(isRepeated(`cursor ${index}`), false)
})

/** A server that gives `tail` cursors once and then `loop` cursors round and round. */
function stepsUntilSeen(tail: number, loop: number): number {
  const isRepeated = repeatGuard(null)
  let step = 0
  while (!isRepeated(`cursor ${step < tail ? step : tail + ((step - tail) % loop)}`)) step += 1
  return step
}
