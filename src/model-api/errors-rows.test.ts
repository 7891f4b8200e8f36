import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Failure } from '../failure/failure.ts'
import { createWireErrors } from './errors.ts'

const errors = createWireErrors({
  vendor: 'goog',
  service: 'generativelanguage.googleapis.com',
  scopeBase: 'https://www.googleapis.com/auth',
  realm: 'https://gate.example',
})

test('a quota says which one it is and when to come back', () => {
  const message = 'more than 15 requests a minute'
  const { headers, body } = errors.answer(
    new Failure('limit-exceeded', message, { reason: 'quota', retryAfterSeconds: 35.2501 }),
  )
  assert.deepEqual(headers, { 'retry-after': '36' })
  assert.deepEqual(JSON.parse(body).error, {
    code: 429,
    message: `You exceeded your current quota, please check your plan and billing details. ${message}`,
    status: 'RESOURCE_EXHAUSTED',
    details: [
      { '@type': 'type.googleapis.com/google.rpc.QuotaFailure', violations: [{ description: message }] },
      { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '35.251s' },
    ],
  })
})

for (const code of ['limit-exceeded', 'unavailable'] as const)
  test(`${code} says in its details and its header when to come back, where that is known`, () => {
    const { body, headers } = errors.answer(new Failure(code, 'ours', { retryAfterSeconds: 7 }))
    assert.deepEqual(JSON.parse(body).error.details, [
      { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '7s' },
    ])
    assert.deepEqual(headers, { 'retry-after': '7' })
  })
