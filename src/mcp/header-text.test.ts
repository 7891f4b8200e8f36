import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeHeader, headerText } from './header-text.ts'

test('blanks and tabs around a header do not count, and nothing else is taken off', () => {
  assert.equal(headerText(' \ttools/call\t '), 'tools/call')
  for (const value of ['add\u00a0', '\u00a0add', 'add\u000b', 'add\ufeff'])
    assert.equal(headerText(value), value)
  assert.deepEqual([headerText(' \t '), headerText('')], ['', ''])
})

test('a header that was sent as a list is no text', () => {
  assert.deepEqual([headerText(['a', 'b']), headerText(undefined)], [undefined, undefined])
})

test('a run of blanks in the middle costs no more than its length', () => {
  const value = `a${' '.repeat(16_000)}b`
  const start = process.cpuUsage()
  for (let times = 0; times < 100; times += 1) headerText(value)
  assert.ok(process.cpuUsage(start).user < 200_000)
})

test('a text in base64 is decoded if it is spelt in the one right way', () => {
  assert.equal(decodeHeader('=?base64?w6Q=?='), 'ä')
  for (const value of ['=?base64?w6Q?=', '=?base64?w6R=?=', '=?base64?/w==?='])
    assert.equal(decodeHeader(value), undefined)
  assert.equal(decodeHeader('=?BASE64?w6Q=?='), '=?BASE64?w6Q=?=')
  assert.equal(decodeHeader('ä'), undefined)
})
