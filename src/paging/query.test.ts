import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parametersOf } from './query.ts'

test('URLSearchParams and a parsed object give the same parameters, repeated ones repeated', () => {
  const expected = [
    ['kind', 'call'],
    ['kind', 'login'],
    ['limit', '5'],
  ]
  assert.deepEqual(parametersOf(new URLSearchParams('kind=call&kind=login&limit=5')), expected)
  assert.deepEqual(parametersOf({ kind: ['call', 'login'], limit: '5' }), expected)
})

test('a parameter that is undefined is absent', () => {
  assert.deepEqual(parametersOf({ cursor: undefined, limit: '5' }), [['limit', '5']])
})

test('an object without prototype, as query parsers make it, is read like any other', () => {
  assert.deepEqual(parametersOf(Object.assign(Object.create(null), { limit: '5' })), [['limit', '5']])
})

test('only the own members of the object are parameters', () => {
  assert.deepEqual(parametersOf(Object.create({ limit: '5' })), [])
})
