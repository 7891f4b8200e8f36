import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Breaker, createBreaker } from './breaker.ts'

function failTimes(breaker: Breaker, times: number): void {
  for (let count = 0; count < times; count += 1) breaker.failed()
}

test('five failures in a row keep calls away for five seconds', () => {
  let now = 0
  const breaker = createBreaker(() => now)
  failTimes(breaker, 4)
  assert.equal(breaker.mayTry(), true)
  breaker.failed()
  assert.equal(breaker.mayTry(), false)
  now = 4999
  assert.deepEqual([breaker.mayTry(), breaker.restSeconds()], [false, 0.001])
  now = 5000
  assert.equal(breaker.restSeconds(), 0)
})

test('after the rest one call at a time tries', () => {
  let now = 0
  const breaker = createBreaker(() => now)
  failTimes(breaker, 5)
  now = 5000
  assert.deepEqual([breaker.mayTry(), breaker.mayTry()], [true, false])
  now = 10_000
  assert.deepEqual([breaker.mayTry(), breaker.mayTry()], [true, false])
})

test('an answer that begins lets others in, and the next failure keeps them out again', () => {
  let now = 0
  const breaker = createBreaker(() => now)
  failTimes(breaker, 8)
  now = 5000
  breaker.mayTry()
  breaker.answering()
  assert.deepEqual([breaker.mayTry(), breaker.mayTry()], [true, true])
  breaker.failed()
  assert.equal(breaker.mayTry(), false)
})

test('a success forgets the failures before it', () => {
  const breaker = createBreaker(() => 0)
  failTimes(breaker, 4)
  breaker.succeeded()
  failTimes(breaker, 4)
  assert.equal(breaker.mayTry(), true)
})
