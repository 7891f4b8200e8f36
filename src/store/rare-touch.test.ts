import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createRareTouch, type RareTouch, type Touch } from './rare-touch.ts'

const start = 1_763_164_800_000_000
const minute = 60_000_000

function touching(): {
  readonly touch: RareTouch
  readonly written: Touch[]
  readonly hand: { time: number }
} {
  const hand = { time: start }
  const written: Touch[] = []
  const touch = createRareTouch(
    () => hand.time,
    async (one) => written.push(one),
  )
  return { touch, written, hand }
}

test('one use a minute is written for each id, with the moment since when another process may have', async () => {
  const { touch, written, hand } = touching()
  await touch('a')
  await touch('b')
  hand.time += minute - 1
  assert.equal(touch('a'), undefined)
  hand.time += 1
  await touch('a')
  assert.deepEqual(written, [
    { id: 'a', time: start, before: start - minute },
    { id: 'b', time: start, before: start - minute },
    { id: 'a', time: start + minute, before: start },
  ])
})

test('uses at the same time are one write', async () => {
  const { touch, written } = touching()
  const first = touch('a')
  assert.deepEqual([touch('a'), touch('a')], [undefined, undefined])
  await first
  assert.equal(written.length, 1)
})

test('a clock that was set back does not silence it', async () => {
  const { touch, written, hand } = touching()
  await touch('a')
  hand.time -= 1
  await touch('a')
  assert.equal(written.length, 2)
})

test('of many thousands the one that was touched longest ago is forgotten first', async () => {
  const { touch, written, hand } = touching()
  await touch('first')
  await touch('second')
  hand.time += minute
  await touch('first')
  for (let index = 0; index < 9999; index += 1) await touch(`id-${index}`)
  assert.equal(touch('first'), undefined)
  assert.equal(touch('id-0'), undefined)
  hand.time -= minute
  await touch('second')
  assert.equal(written.length, 10_003)
})

test('a write that fails is told to the one who asked, and is not tried again at once', async () => {
  let count = 0
  const touch = createRareTouch(
    () => start,
    async () => {
      count += 1
      throw new Error('locked')
    },
  )
  await assert.rejects(async () => touch('a'), /locked/)
  assert.equal(touch('a'), undefined)
  assert.equal(count, 1)
})
