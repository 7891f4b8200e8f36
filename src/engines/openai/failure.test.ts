import assert from 'node:assert/strict'
import { test } from 'node:test'
import { brokenUpstream, refusedByUpstream, UpstreamRefusal } from './failure.ts'

const call = { model: 'm', apiKey: 'secret-key-1', now: () => Date.parse('2026-11-15T12:00:00Z') }

test('the message of the upstream is found in every shape', () => {
  for (const body of [
    { error: { message: 'too long' } },
    { error: 'too long' },
    { object: 'error', message: 'too long', code: 400 },
  ]) {
    const failure = refusedByUpstream({ status: 400, body: JSON.stringify(body) }, call)
    assert.equal(failure.message, 'the upstream refused the request: too long')
  }
  assert.equal(
    refusedByUpstream({ status: 400, body: '<html>' }, call).message,
    'the upstream refused the request',
  )
})

test('a long message is cut, and our key is not in it', () => {
  const body = JSON.stringify({ error: { message: `secret-key-1 ${'x'.repeat(1000)}` } })
  const { message } = refusedByUpstream({ status: 400, body }, call)
  assert.match(message, /\[redacted\] x+…$/)
  assert.ok(message.length < 600)
})

test('the time to wait is seconds or a date', () => {
  const waitOf = (retryAfter: string): unknown => {
    const { cause } = refusedByUpstream({ status: 429, body: '', retryAfter }, call)
    return cause instanceof UpstreamRefusal ? cause.retryAfterSeconds : 'no cause'
  }
  assert.deepEqual(
    ['20', '0.5', 'Sun, 15 Nov 2026 12:00:30 GMT', 'Sun, 15 Nov 2026 11:00:00 GMT', 'soon'].map(waitOf),
    [20, 0.5, 30, 0, undefined],
  )
})

test('callers are told to wait as long as the upstream asks, but no longer than an hour', () => {
  for (const status of [429, 503])
    assert.deepEqual(
      ['20', '86400', 'soon'].map(
        (retryAfter) => refusedByUpstream({ status, body: '', retryAfter }, call).retryAfterSeconds,
      ),
      [20, 3600, undefined],
    )
})

test('what an upstream does not support is not to be tried again', () => {
  const { code, reason, message } = refusedByUpstream({ status: 501, body: '' }, call)
  assert.deepEqual(
    [code, reason, message],
    ['not-found', 'operation_unsupported', 'the upstream does not support this operation'],
  )
})

test('every time-out is said in its own words', () => {
  const messages = ['UND_ERR_CONNECT_TIMEOUT', 'UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT'].map(
    (code) => brokenUpstream(Object.assign(new Error('x'), { code })).message,
  )
  assert.equal(new Set(messages).size, 3)
})
