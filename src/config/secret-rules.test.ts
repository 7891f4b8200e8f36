import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { secretComplaint, signingKeyComplaint } from './secret-rules.ts'

test('an empty secret, or one with white space around it, is refused', () => {
  for (const text of ['', ' ', '\n']) assert.equal(secretComplaint(text), 'must not be empty')
  for (const text of [' abc', 'abc\n'])
    assert.equal(secretComplaint(text), 'must not start or end with white space')
  assert.equal(secretComplaint('a b'), undefined)
})

test('a signing key has at least 32 characters that differ', () => {
  for (const encoding of ['hex', 'base64', 'base64url'] as const) {
    assert.equal(signingKeyComplaint(randomBytes(32).toString(encoding)), undefined)
  }
  assert.match(
    signingKeyComplaint('0123456789abcdef0123456789abcde') ?? '',
    /at least 32 characters, not 31; make one/,
  )
  assert.match(signingKeyComplaint('abcdefg'.repeat(10)) ?? '', /must be random/)
  assert.equal(signingKeyComplaint(''), 'must not be empty')
})
