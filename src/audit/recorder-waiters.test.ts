import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createWaiters } from './recorder-waiters.ts'

test('those before a position are kept, those after it wait on', async () => {
  const waiters = createWaiters()
  const [first, second] = [waiters.add(10, 0), waiters.add(20, 1)]
  waiters.keep(15)
  await first
  assert.equal(waiters.count(), 1)
  waiters.keep(20)
  await second
  assert.equal(waiters.count(), 0)
})

test('those who have waited too long are told so, each with a failure of its own', async () => {
  const waiters = createWaiters()
  const [early, late] = [waiters.add(10, 100), waiters.add(20, 200)]
  waiters.breakUntil(150, () => new Error('too late'))
  await assert.rejects(early, /too late/)
  waiters.keep(20)
  await late
})
