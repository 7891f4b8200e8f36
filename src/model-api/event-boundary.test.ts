import assert from 'node:assert/strict'
import { test } from 'node:test'
import { EventBoundary } from './event-boundary.ts'

function isBetween(...chunks: readonly string[]): boolean {
  const boundary = new EventBoundary()
  for (const chunk of chunks) boundary.see(Buffer.from(chunk))
  return boundary.isBetween()
}

test('before the first byte and after a blank line one stands between two events', () => {
  assert.equal(isBetween(), true)
  for (const end of ['\r\n\r\n', '\n\n', '\r\r']) assert.equal(isBetween(`data: {}${end}`), true)
})

test('after anything else one stands inside an event', () => {
  for (const text of ['d', 'data: {}', 'data: {}\n', 'data: {}\r\n', 'data: {}\r\n\r', 'x\r\n\r\ny'])
    assert.equal(isBetween(text), false, JSON.stringify(text))
})

test('where the bytes were cut makes no difference', () => {
  const text = 'data: {}\r\n\r\n'
  for (let at = 0; at <= text.length; at += 1)
    assert.equal(isBetween(text.slice(0, at), text.slice(at)), true, `cut at ${at}`)
  assert.equal(isBetween(...text.split('')), true)
  assert.equal(isBetween(...text.split(''), ''), true)
})
