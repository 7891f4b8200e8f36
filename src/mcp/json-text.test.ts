import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseJson } from './json-text.ts'

function nested(levels: number): string {
  return '['.repeat(levels) + ']'.repeat(levels)
}

test('64 levels are read, 65 are refused before they are parsed', () => {
  assert.ok(Array.isArray(parseJson(nested(64))))
  assert.throws(() => parseJson(nested(65)), /at most 64 levels/)
  assert.throws(() => parseJson('{"a":'.repeat(65)), /at most 64 levels/)
  assert.throws(() => parseJson(nested(500_000)), /at most 64 levels/)
})

test('brackets inside texts are no levels, whatever is escaped before their end', () => {
  const texts = ['['.repeat(100), `\\"${'{'.repeat(100)}`, '\\\\', `"${'['.repeat(100)}\\`]
  for (const text of texts) assert.equal(parseJson(JSON.stringify(text)), text)
  assert.deepEqual(parseJson('["a\\\\",["b\\"[[["]]'), ['a\\', ['b"[[[']])
})

test('breadth is no depth', () => {
  const wide = `[${Array.from({ length: 1000 }, () => '{}').join(',')}]`
  assert.equal(Array.isArray(parseJson(wide)), true)
})

test('more than 200000 values are refused before they are parsed', () => {
  assert.throws(() => parseJson(`[${'{},'.repeat(200_000)}`), {
    message: 'the body may hold at most 200000 values',
    reason: 'invalid_message',
  })
  assert.equal(Array.isArray(parseJson(`[${'1,'.repeat(199_000)}1]`)), true)
})

for (const text of ['', '{', '{"a":1}}', 'undefined', '{"a":01}', '\u0000'])
  test(`${JSON.stringify(text)} is a parse error`, () => {
    assert.throws(() => parseJson(text), { reason: 'parse_error' })
  })

for (const text of ['{"__proto__":{}}', '{"a":[{"\\u005f_proto__":1}]}', '{"constructor":{"prototype":{}}}'])
  test(`${text} is refused`, () => {
    assert.throws(() => parseJson(text), { reason: 'invalid_message' })
  })

test('the same words as values, and a constructor without a prototype, are taken', () => {
  const value = { text: '__proto__ constructor.prototype', constructor: 'Ford', list: ['\u00e9'] }
  assert.deepEqual(parseJson(JSON.stringify(value)), value)
})
