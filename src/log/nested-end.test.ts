import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { nestedEnd } from './nested-end.ts'

function inLine(text: string, levels: number): string {
  let written = text
  for (let level = 0; level < levels; level += 1) written = JSON.stringify(written).slice(1, -1)
  return written
}

test('a list or mapping ends at its own bracket, whatever its texts hold and however often it is escaped', () => {
  const texts = fc.array(
    fc.string({ unit: fc.constantFrom('a', '"', '\\', ']', '}', '[', '{', ','), maxLength: 6 }),
  )
  fc.assert(
    fc.property(texts, fc.integer({ min: 1, max: 3 }), (list, levels) => {
      for (const value of [list, { list }]) {
        const written = inLine(JSON.stringify(value), levels)
        assert.equal(nestedEnd(`${written} after]"`, 0), written.length)
      }
    }),
  )
})

test('texts in single quotes may hold brackets and escaped quotes', () => {
  const written = inLine(String.raw`[ 'a]b', 'it\'s ]', 'c\\' ]`, 1)
  assert.equal(nestedEnd(`${written} after]`, 0), written.length)
})

test('one that is cut off ends where the text does', () => {
  assert.equal(nestedEnd('[\\"abc","other":1}', 0), 6)
  assert.equal(nestedEnd('[abc\\\\","other":1}', 0), 6)
  assert.equal(nestedEnd('[abc', 0), 4)
})
