import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertLinear } from '../../test/serving/growth.ts'
import { mostValues } from '../config/most-values.ts'
import { excessOf, hasTooManyValues } from './json-bounds.ts'

const counted: readonly (readonly [text: string, values: number])[] = [
  ['{}', 1],
  ['[1,2,3]', 3],
  ['{"a":1,"b":[{},{}]}', 6],
  ['["{[,","\\"{[,","\\\\",{}]', 5],
  ['{"a\\\\\\"{,":1}', 1],
  ['["never closed, {', 1],
  ['["\\', 1],
]

for (const [text, values] of counted)
  test(`${JSON.stringify(text)} counts as ${values}`, () => {
    assert.equal(excessOf(text, { levels: 99, values }), undefined)
    assert.equal(excessOf(text, { levels: 99, values: values - 1 }), 'values')
  })

function emptyObjects(count: number): string {
  return `[${Array.from({ length: count }, () => '{}').join(',')}]`
}

test('the bound holds for objects, for lists of numbers and for what is no JSON at all', () => {
  // The list and each object, and a comma between two of them.
  assert.equal(hasTooManyValues(emptyObjects(mostValues / 2)), false)
  assert.equal(hasTooManyValues(emptyObjects(mostValues / 2 + 1)), true)
  assert.equal(hasTooManyValues(`[${'1,'.repeat(mostValues)}1]`), true)
  assert.equal(hasTooManyValues(`[${'1,'.repeat(mostValues / 2)}1]`), false)
  assert.equal(hasTooManyValues('{'.repeat(mostValues + 1)), true)
})

test('one long text is one value, whatever it is made of', () => {
  for (const piece of ['A', ',', '{', '"', '\\', '€'])
    assert.equal(hasTooManyValues(JSON.stringify({ data: piece.repeat(500_000) })), false, piece)
})

for (const piece of ['"', '\\', ' ', '"":', '\\"'])
  test(`the time for many ${JSON.stringify(piece)} grows as the text does`, async () => {
    // Out of bytes, as a body comes: a text put together out of pieces is slower to walk.
    const textOf = (size: number): string => Buffer.from(`["${piece.repeat(size)}`).toString()
    await assertLinear((size) => hasTooManyValues(textOf(size)), 200_000)
  })
