import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Failure } from '../failure/failure.ts'
import { encodeSegment, encodeStrictly, formPairs, headerText, simpleValue } from './openapi-value.ts'

/** The examples of the OpenAPI specification, section "Style Examples". */
const array = ['blue', 'black', 'brown']
const object = { R: 100, G: 200, B: 150 }

test('style simple serialises as the specification shows', () => {
  const written = [
    simpleValue('blue', false, encodeSegment),
    simpleValue(array, false, encodeSegment),
    simpleValue(array, true, encodeSegment),
    simpleValue(object, false, encodeSegment),
    simpleValue(object, true, encodeSegment),
  ]
  assert.deepEqual(written, [
    'blue',
    'blue,black,brown',
    'blue,black,brown',
    'R,100,G,200,B,150',
    'R=100,G=200,B=150',
  ])
})

test('style form serialises as the specification shows', () => {
  assert.deepEqual(formPairs('color', 'blue', true), ['color=blue'])
  assert.deepEqual(formPairs('color', array, false), ['color=blue,black,brown'])
  assert.deepEqual(formPairs('color', array, true), ['color=blue', 'color=black', 'color=brown'])
  assert.deepEqual(formPairs('color', object, false), ['color=R,100,G,200,B,150'])
  assert.deepEqual(formPairs('color', object, true), ['R=100', 'G=200', 'B=150'])
})

test('only unreserved characters stay as they are', () => {
  const ascii = Array.from({ length: 128 }, (_, code) => String.fromCharCode(code))
  const kept = ascii.filter((character) => encodeStrictly(character) === character)
  assert.equal(kept.join(''), '-.0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz~')
  assert.ok(ascii.every((character) => decodeURIComponent(encodeStrictly(character)) === character))
})

for (const value of ['a/b', 'a\\b', '%2f', '%2E%2e', '%252f', 'a\0', 'a\r\n', '\x7f', '\x85', '', '\ud800']) {
  test(`a path value is refused: ${JSON.stringify(value)}`, () => {
    assert.throws(() => encodeSegment(value), Failure)
  })
}

for (const value of ['a\r\nx: y', 'a\n', '\0', 'é', '', ' a', 'a ', '\t', '\u2028']) {
  test(`a header value is refused: ${JSON.stringify(value)}`, () => {
    assert.throws(() => headerText(value), Failure)
  })
}

test('a list inside a list has no form in a style, and is refused', () => {
  assert.throws(() => formPairs('a', [['b']], true), Failure)
  assert.throws(() => simpleValue({ a: { b: 1 } }, false, encodeSegment), Failure)
})
