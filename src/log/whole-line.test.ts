import assert from 'node:assert/strict'
import { test } from 'node:test'
import { wholeLine } from './whole-line.ts'

const original = '{"level":"warn","time":"2026-11-15T04:36:17.555Z","pid":1,"n":1712345678}\n'

test('a line that is still JSON is written as it is', () => {
  assert.equal(wholeLine(original, original), original)
  assert.equal(wholeLine(original, '{"a":"[redacted]"}\n'), '{"a":"[redacted]"}\n')
})

test('a line broken by a replacement is left out, and a line with its level and time says so', () => {
  const written = wholeLine(original, original.replace('12345678', '[redacted]'))
  assert.partialDeepStrictEqual(JSON.parse(written), { level: 'warn', time: '2026-11-15T04:36:17.555Z' })
  assert.match(written, /"msg":"\[a line was left out: .*\]"\}\n$/)
  assert.doesNotMatch(written, /17\[/)
})
