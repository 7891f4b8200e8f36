import assert from 'node:assert/strict'
import { test } from 'node:test'
import { askedDelay, modelError } from './model-error.ts'

function exhausted(retryDelay: unknown): string {
  const details = [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay }]
  return JSON.stringify({ error: { code: 429, message: 'no', status: 'RESOURCE_EXHAUSTED', details } })
}

const noon = Date.parse('2026-11-15T12:00:00Z')

for (const [claim, text, header, ms] of [
  ['RetryInfo', exhausted('36s'), null, 36_000],
  ['RetryInfo with a fraction', exhausted('1.5s'), null, 1500],
  ['Retry-After in seconds', '', '7', 7000],
  ['Retry-After as a date', '', 'Sun, 15 Nov 2026 12:00:05 GMT', 5000],
  ['a date that is over', '', 'Sun, 15 Nov 2026 11:00:00 GMT', 0],
  ['the longer of both', exhausted('2s'), '9', 9000],
  ['an error in an array', `[${exhausted('3s')}]`, null, 3000],
  ['neither', exhausted(undefined), null, undefined],
  ['a delay that is none', exhausted('-5s'), 'soon', undefined],
  ['a body that is not JSON', '<html>', null, undefined],
] as const)
  test(`how long to wait is read from ${claim}`, () => {
    assert.equal(askedDelay(text, header, noon), ms)
  })

test('a refusal keeps the words of the server but for what was sent', () => {
  const info = { '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: 'API_KEY_INVALID' }
  const error = modelError({
    where: 'POST https://gate.example/x',
    status: 400,
    text: JSON.stringify({
      error: { code: 400, status: 'INVALID_ARGUMENT', message: 'key secret-key-1 is bad', details: [info] },
    }),
    secrets: ['secret-key-1'],
  })
  assert.deepEqual([error.code, error.status, error.reason], ['INVALID_ARGUMENT', 400, 'API_KEY_INVALID'])
  assert.deepEqual(error.details, [info])
  assert.equal(error.message, 'POST https://gate.example/x answered 400: key [redacted] is bad')
})

test('an answer of something else in between has its status for a code', () => {
  const error = modelError({ where: 'GET https://x', status: 502, text: '<html>', secrets: [] })
  assert.deepEqual([error.code, error.status, error.details], ['http_502', 502, []])
})
