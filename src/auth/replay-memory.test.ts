import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createReplayMemory } from './replay-memory.ts'

test('an id is new once, for as long as the window', () => {
  const memory = createReplayMemory(1000, 100)
  assert.equal(memory.admit('a', 0), 'new')
  assert.equal(memory.admit('b', 999), 'new')
  for (const time of [0, 500, 999, 1000, 1998]) assert.equal(memory.admit('b', time), 'seen')
})

test('an id is forgotten when two windows have passed', () => {
  const memory = createReplayMemory(1000, 100)
  memory.admit('a', 0)
  assert.equal(memory.admit('a', 2000), 'new')
})

test('a full memory forgets nothing early: it takes no more until the window has passed', () => {
  const memory = createReplayMemory(1000, 2)
  memory.admit('a', 0)
  memory.admit('b', 0)
  assert.equal(memory.admit('c', 10), 'full')
  assert.equal(memory.admit('a', 10), 'seen')
  assert.equal(memory.admit('c', 2000), 'new')
})
