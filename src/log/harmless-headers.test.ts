import assert from 'node:assert/strict'
import { test } from 'node:test'
import { harmlessHeaders } from './harmless-headers.ts'

const pairs: [string, string][] = [
  ['Authorization', 'Bearer x'],
  ['X-Goog-Api-Key', 'x'],
  ['Referer', 'https://a/?token=x'],
  ['Location', 'https://a/?code=x'],
  ['User-Agent', 'curl/8'],
  ['Content-Length', '12'],
]
const harmless = { 'user-agent': 'curl/8', 'content-length': '12' }

test('only headers known to be harmless stay, however the headers are held', () => {
  assert.deepEqual(harmlessHeaders(Object.fromEntries(pairs)), harmless)
  assert.deepEqual(harmlessHeaders(new Headers(pairs)), { 'content-length': '12', 'user-agent': 'curl/8' })
  assert.deepEqual(harmlessHeaders(new Map(pairs)), harmless)
  assert.deepEqual(harmlessHeaders(pairs), harmless)
  assert.deepEqual(harmlessHeaders(pairs.flat()), harmless)
})

test('headers that are no headers are empty', () => {
  for (const value of ['Authorization: x', 7, null, undefined, [], ['a']])
    assert.deepEqual(harmlessHeaders(value), {})
})

test('a very long value is left out', () => {
  assert.deepEqual(harmlessHeaders({ host: 'h'.repeat(300) }), { host: '[300 characters]' })
})

test('a value that is no text is never made into one by what it calls toString', () => {
  const trap = { toString: '', valueOf: '' }
  assert.deepEqual(harmlessHeaders({ host: trap, vary: ['a', trap] }), {
    host: '[object]',
    vary: 'a,[object]',
  })
  assert.deepEqual(harmlessHeaders([trap, 'x', 'host', 'h']), { host: 'h' })
})
