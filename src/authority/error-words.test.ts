import assert from 'node:assert/strict'
import { test } from 'node:test'
import { errorWords } from './error-words.ts'

test('an error is told by its words and those of its causes, not by what it carries', () => {
  const inner = Object.assign(new Error('inner'), { claims: 'a secret' })
  assert.equal(errorWords(new Error('outer', { cause: inner })), 'outer: inner')
  assert.equal(errorWords(new Error('outer', { cause: { token: 'a secret' } })), 'outer')
  assert.equal(errorWords('a secret'), '')
})

test('an error that is its own cause ends', () => {
  const loop = new Error('loop')
  loop.cause = loop
  assert.equal(errorWords(loop), 'loop: loop: loop: loop')
})
