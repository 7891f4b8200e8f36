import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createWaiters, type Waiters } from './recorder-waiters.ts'

/** Two answers that wait for one position. */
function wait(waiters: Waiters, position: number, since: number): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  waiters.add({ position, since, count: 2, keep: resolve, refuse: reject })
  return promise
}

test('those before a position are kept, those after it wait on', async () => {
  const waiters = createWaiters()
  const [first, second] = [wait(waiters, 10, 0), wait(waiters, 20, 1)]
  assert.equal(waiters.count(), 4)
  waiters.keep(15)
  await first
  assert.equal(waiters.count(), 2)
  waiters.keep(20)
  await second
  assert.equal(waiters.count(), 0)
})

test('those who have waited too long are told so', async () => {
  const waiters = createWaiters()
  const [early, late] = [wait(waiters, 10, 100), wait(waiters, 20, 200)]
  waiters.breakUntil(150, () => new Error('too late'))
  await assert.rejects(early, /too late/)
  waiters.keep(20)
  await late
})
