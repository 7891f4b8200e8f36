import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ClientError } from './client-error.ts'

test('a message is one line without characters that a terminal obeys', () => {
  const { message } = new ClientError('x', 'a\u001b]0;title\u0007b\nc\u009b2Jd\u202ee')
  assert.equal(message, 'a ]0;title b c 2Jd e')
})

test('a token that a server quotes does not stand in the message', () => {
  const opaque = 'q7Zr0Vt2Xk9Lm4Np8Ws6'
  const signed = 'eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJhZGEifQ.c2lnbmF0dXJl'
  const { message } = new ClientError('x', `refused: authorization: Bearer ${opaque}, token=${signed}`)
  assert.equal(message, 'refused: authorization: Bearer [redacted], token=[redacted]')
})

test('words about tokens stay as they are', () => {
  const words = 'issuer sent a token that is not a bearer token; Bearer authentication is wanted'
  assert.equal(new ClientError('x', words).message, words)
})
