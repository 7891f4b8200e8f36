import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Failure } from '../failure/failure.ts'
import { redactNames } from './redact-names.ts'

test('an error keeps its type, message, stack and chain of causes', () => {
  const error = new TypeError('outer', { cause: new Error('middle', { cause: { token: 't', kept: 1 } }) })
  const shown = redactNames(error)
  assert.partialDeepStrictEqual(shown, {
    type: 'TypeError',
    message: 'outer',
    cause: { type: 'Error', message: 'middle', cause: { token: '[redacted]', kept: 1 } },
  })
  assert.match(JSON.stringify(shown), /"stack":"TypeError: outer\\n +at .*describe-error\.test\.ts/)
})

test('the code of a failure, of the system and of a database stay; another code may be a secret', () => {
  const codeOf = (error: Error): unknown => Reflect.get(Object(redactNames(error)), 'code')
  assert.equal(codeOf(new Failure('invalid-request', 'x')), 'invalid-request')
  for (const code of ['ECONNREFUSED', 'FST_ERR_VALIDATION', '23505', '42P01']) {
    assert.equal(codeOf(Object.assign(new Error('x'), { code })), code)
  }
  for (const code of ['SplxlOBeZQQYbYS6WxSbIA', 'secret-code', 123_456]) {
    assert.equal(codeOf(Object.assign(new Error('x'), { code })), undefined)
  }
})

test('reason and field of a failure stay, and whatever else hangs on an error does not', () => {
  const error = Object.assign(
    new Failure('invalid-request', 'x', { reason: 'invalid_limit', field: 'limit' }),
    {
      request: { text: 'private' },
      response: 'private',
      statusCode: 400,
    },
  )
  const shown = redactNames(error)
  assert.partialDeepStrictEqual(shown, { reason: 'invalid_limit', field: 'limit', statusCode: 400 })
  assert.doesNotMatch(JSON.stringify(shown), /private/)
})

test('an error that is its own cause, and a chain without end, are cut', () => {
  const loop = new Error('loop')
  loop.cause = loop
  assert.partialDeepStrictEqual(redactNames(loop), { message: 'loop', cause: '[circular]' })
  let chain = new Error('first')
  for (let index = 0; index < 10_000; index += 1) chain = new Error(`error ${index}`, { cause: chain })
  assert.ok(JSON.stringify(redactNames(chain)).length < 100_000)
})

test('an aggregate error shows its errors, redacted', () => {
  const error = new AggregateError([new Error('one'), { password: 'p' }], 'both failed')
  assert.partialDeepStrictEqual(redactNames(error), {
    type: 'AggregateError',
    errors: [{ message: 'one' }, { password: '[redacted]' }],
  })
})
