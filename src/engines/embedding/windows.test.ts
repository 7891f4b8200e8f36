import assert from 'node:assert/strict'
import { test } from 'node:test'
import { piecesPerWindow, windowsOf } from './windows.ts'

test('words fill a window until the next would not fit', () => {
  const words = Array.from({ length: 200 }, () => ({ text: 'w', pieces: 3 }))
  const windows = windowsOf(words)
  assert.deepEqual(
    windows.map(({ pieces }) => pieces),
    [252, 252, 96],
  )
  assert.ok(windows.every(({ pieces }) => pieces <= piecesPerWindow))
  assert.equal(windows.map(({ text }) => text).join(' '), words.map(({ text }) => text).join(' '))
})

test('no words make no window', () => {
  assert.deepEqual(windowsOf([]), [])
})
