import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Failure } from './failure.ts'

test('a failure keeps code, reason, field and cause apart from the message', () => {
  const cause = new Error('the database said so')
  const failure = new Failure('invalid-request', 'limit must be 1 to 100', {
    cause,
    reason: 'invalid_limit',
    field: 'limit',
  })
  assert.equal(failure.message, 'limit must be 1 to 100')
  assert.deepEqual(
    [failure.code, failure.reason, failure.field],
    ['invalid-request', 'invalid_limit', 'limit'],
  )
  assert.equal(failure.cause, cause)
})

test('a failure without a cause has none', () => {
  assert.equal('cause' in new Failure('internal', 'something broke'), false)
})
