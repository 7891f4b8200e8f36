import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isClientError } from '../../test/client/client-error-check.ts'
import { retryPolicy } from './retry-policy.ts'

test('waits grow, with jitter, up to the longest', () => {
  const { delay } = retryPolicy({ most: 10, firstMs: 100, longestMs: 1000, random: () => 0.5 })
  assert.deepEqual(
    [1, 2, 3, 4, 5, 6].map((count) => delay(count, undefined)),
    [50, 100, 200, 400, 500, 500],
  )
})

test('a call is never repeated earlier than the server asks', () => {
  const { delay } = retryPolicy({ random: () => 0 })
  assert.equal(delay(1, 36_000), 36_000)
  assert.ok((retryPolicy({ random: () => 0.9 }).delay(1, 36_000) ?? 0) > 36_000)
})

test('a server that asks for more than the longest wait gets no further call', () => {
  assert.equal(retryPolicy({ longestMs: 60_000 }).delay(1, 60_001), undefined)
})

test('after so many tries there is no further one', () => {
  const { delay } = retryPolicy({ most: 2 })
  assert.notEqual(delay(2, undefined), undefined)
  assert.equal(delay(3, undefined), undefined)
  assert.equal(retryPolicy({ most: 0 }).delay(1, undefined), undefined)
})

test('a wait ends with its signal', async () => {
  const stopping = new AbortController()
  const waiting = retryPolicy().wait(60_000, stopping.signal)
  stopping.abort(new Error('enough'))
  await assert.rejects(waiting, /enough/)
  await assert.rejects(retryPolicy().wait(60_000, stopping.signal), /enough/)
})

test('numbers that make no sense are refused', () => {
  assert.throws(() => retryPolicy({ most: -1 }), isClientError('invalid_option'))
  assert.throws(() => retryPolicy({ longestMs: Number.NaN }), isClientError('invalid_option'))
})
