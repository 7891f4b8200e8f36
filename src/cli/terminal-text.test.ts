import assert from 'node:assert/strict'
import { test } from 'node:test'
import { jsonText } from './terminal-text.ts'

test('JSON has no character that a terminal obeys, and is read back as it was', () => {
  const hostile = { 'a\u009b2J': 'b\u001b[2Jc\u202ed\u007fe\u{e0041}f', list: ['é', '雪'] }
  for (const indent of [undefined, 2]) {
    const text = jsonText(hostile, indent)
    assert.doesNotMatch(text.replaceAll('\n', ''), /[\p{Cc}\p{Cf}]/u)
    assert.deepEqual(JSON.parse(text), hostile)
    assert.match(text, /é.*雪/s)
  }
})
