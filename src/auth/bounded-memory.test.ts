import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createBoundedMemory } from './bounded-memory.ts'

test('what was set is found, and the newest value counts', () => {
  const memory = createBoundedMemory<number>(10)
  memory.set('a', 1)
  memory.set('a', 2)
  assert.equal(memory.get('a'), 2)
  assert.equal(memory.get('b'), undefined)
})

test('it never holds more than its capacity', () => {
  const memory = createBoundedMemory<number>(100)
  for (let index = 0; index < 10_000; index += 1) {
    memory.set(`key ${index}`, index)
    memory.get(`key ${index - 60}`)
    assert.ok(memory.size() <= 100)
  }
})

test('what is used stays, while others come and go', () => {
  const memory = createBoundedMemory<number>(100)
  memory.set('used', 1)
  for (let index = 0; index < 10_000; index += 1) {
    memory.set(`key ${index}`, index)
    assert.equal(memory.get('used'), 1)
  }
  assert.equal(memory.get('key 0'), undefined)
})
