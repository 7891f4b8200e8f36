import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { member, parseJsonObject } from './strict-json.ts'

test('every JSON object comes back as JSON.parse reads it', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (object) => {
      const text = JSON.stringify(object)
      assert.deepEqual(parseJsonObject(Buffer.from(text)), JSON.parse(text))
    }),
  )
})

const refused: readonly string[] = [
  '',
  'null',
  '[]',
  '"a"',
  '{',
  '{"a":1}x',
  '\uFEFF{"a":1}',
  "{'a':1}",
  '{"a":1,}',
  '{"a":1,"a":1}',
  '{"a":1,"b":{"c":1,"d":[],"c":2}}',
  '{"a":1,"\\u0061":2}',
  '{"b":[{"a":1},{"a":1,"a":2}]}',
  '{"a\\"":1,"a\\"":2}',
  '{"":1,"":2}',
  '{"__proto__":1,"__proto__":2}',
]

for (const text of refused) {
  test(`${JSON.stringify(text)} is not taken for an object`, () => {
    assert.equal(parseJsonObject(Buffer.from(text)), undefined)
  })
}

test('the same name in two objects, or as a value, is no repetition', () => {
  for (const text of [
    '{"a":{"a":1},"b":[{"a":1},{"a":2}]}',
    '{"a":"a","b":"a"}',
    '{"a":["b","b"],"b":":"}',
  ]) {
    assert.deepEqual(parseJsonObject(Buffer.from(text)), JSON.parse(text))
  }
})

test('bytes that are not UTF-8 are refused', () => {
  assert.equal(parseJsonObject(Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])), undefined)
})

test('a member is the own one of the object', () => {
  const object = parseJsonObject(Buffer.from('{"__proto__":{"aud":"x"}}')) ?? {}
  assert.equal(member(object, 'aud'), undefined)
  assert.equal(member(object, 'constructor'), undefined)
})
