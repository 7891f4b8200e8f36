import assert from 'node:assert/strict'
import { test } from 'node:test'
import { microsecondClock } from './clock.ts'

const noon = 1_795_000_000_000

test('the clock counts microseconds between the milliseconds of the wall clock', () => {
  const time = { wall: noon, elapsed: 5 }
  const now = clockOn(time)
  time.elapsed = 5.25
  assert.equal(now(), noon * 1000 + 250)
  time.elapsed = 5.251
  assert.equal(now(), noon * 1000 + 251)
})

test('a value is never repeated, even when no time passes', () => {
  const now = clockOn({ wall: noon, elapsed: 0 })
  assert.deepEqual([now(), now(), now()], [noon * 1000, noon * 1000 + 1, noon * 1000 + 2])
})

test('the clock does not step back with the wall clock', () => {
  const time = { wall: noon, elapsed: 0 }
  const now = clockOn(time)
  const before = now()
  time.wall -= 3_600_000
  assert.equal(now(), before + 1)
})

test('the clock follows the wall clock after the machine has slept', () => {
  const time = { wall: noon, elapsed: 0 }
  const now = clockOn(time)
  now()
  time.wall += 3_600_000
  time.elapsed += 1
  assert.equal(now(), (noon + 3_600_000) * 1000)
})

test('the system clock agrees with Date.now to within its tolerance and rises strictly', () => {
  const now = microsecondClock()
  const values = Array.from({ length: 10_000 }, now)
  assert(
    values.every(
      (value, index) => Number.isSafeInteger(value) && (index === 0 || value > Number(values[index - 1])),
    ),
  )
  const [before, between, after] = [Date.now(), now() / 1000, Date.now()]
  assert(between > before - 20 && between < after + 20)
})

function clockOn(time: { wall: number; elapsed: number }): () => number {
  return microsecondClock({ wall: () => time.wall, elapsed: () => time.elapsed })
}
