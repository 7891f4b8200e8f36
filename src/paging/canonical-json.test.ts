import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { refusal } from '../../test/paging/event-list.ts'
import { canonicalJson } from './canonical-json.ts'

test('the order of members, and absent ones, do not change the text', () => {
  const text = '{"a":[1,{"b":null,"c":"x"}],"d":true}'
  assert.equal(canonicalJson({ a: [1, { b: null, c: 'x' }], d: true }), text)
  assert.equal(canonicalJson({ d: true, e: undefined, a: [1, { c: 'x', b: null }] }), text)
})

test('the order of an array changes the text', () => {
  assert.notEqual(canonicalJson(['a', 'b']), canonicalJson(['b', 'a']))
})

test('null and absent are two things', () => {
  assert.notEqual(canonicalJson({ owner: null }), canonicalJson({}))
})

test('a number and its digits are two things', () => {
  assert.notEqual(canonicalJson({ size: 1 }), canonicalJson({ size: '1' }))
})

test('an object without prototype, as query parsers make it, is plain', () => {
  assert.equal(canonicalJson(Object.assign(Object.create(null), { b: 1, a: 2 })), '{"a":2,"b":1}')
})

test('the text reads back as the value, whatever the order it was written in', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const plain: unknown = JSON.parse(JSON.stringify(value))
      assert.deepEqual(JSON.parse(canonicalJson(value)), plain)
      assert.equal(canonicalJson(backToFront(plain)), canonicalJson(plain))
    }),
  )
})

test('what JSON cannot say is refused instead of bound as something else', () => {
  const values = [
    new Date(0),
    new Map(),
    1n,
    Number.NaN,
    Infinity,
    [undefined],
    undefined,
    Symbol('x'),
    () => 1,
  ]
  for (const value of values) {
    const failure = refusal(() => canonicalJson({ filter: [value] }))
    assert.equal(failure.code, 'internal')
    assert.match(failure.message, /a filter must be plain JSON/)
  }
})

function backToFront(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(backToFront)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([name, member]) => [name, backToFront(member)]),
  )
}
