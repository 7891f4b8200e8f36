import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { createWrittenText } from './written-text.ts'

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)

test('a character that comes in four pieces is shown with the last', () => {
  const text = createWrittenText([])
  const shown = Array.from(bytes('😀'), (byte) => text.write(Uint8Array.of(byte)))
  assert.deepEqual(shown, ['', '', '', '😀'])
})

test('half a character at the end is not shown', () => {
  const text = createWrittenText([])
  assert.equal(text.write(bytes('ok😀').subarray(0, 4)) + text.end(), 'ok')
})

test('a stop sequence over several pieces is never shown, nor what follows', () => {
  const text = createWrittenText(['END'])
  assert.deepEqual(
    ['a E', 'N', 'Dx', 'y'].map((piece) => text.write(bytes(piece))),
    ['a ', '', '', ''],
  )
  assert.equal(text.isStopped(), true)
  assert.equal(text.end(), '')
})

test('what only looked like a stop sequence is shown after all', () => {
  const text = createWrittenText(['END'])
  assert.deepEqual(
    ['a E', 'N', 'd'].map((piece) => text.write(bytes(piece))),
    ['a ', '', 'ENd'],
  )
  assert.equal(text.write(bytes('EN')) + text.end(), 'EN')
  assert.equal(text.isStopped(), false)
})

test('however a text is cut, exactly what stands before the first stop is shown', () => {
  const letters = fc.string({ unit: fc.constantFrom('a', 'b', 'ä', '😀'), maxLength: 30 })
  const stops = fc.array(fc.string({ unit: fc.constantFrom('a', 'b', '😀'), minLength: 1, maxLength: 3 }), {
    maxLength: 3,
  })
  fc.assert(
    fc.property(letters, stops, (whole, stopSequences) => {
      const text = createWrittenText(stopSequences)
      const shown = Array.from(bytes(whole), (byte) => text.write(Uint8Array.of(byte))).join('') + text.end()
      const ends = stopSequences
        .map((stop) => whole.indexOf(stop) + stop.length)
        .filter((end, at) => end >= (stopSequences[at] ?? '').length)
      const first = Math.min(...ends, Number.POSITIVE_INFINITY)
      const starts = stopSequences
        .filter((stop) => whole.slice(0, first).endsWith(stop))
        .map((stop) => first - stop.length)
      assert.equal(shown, first === Number.POSITIVE_INFINITY ? whole : whole.slice(0, Math.min(...starts)))
    }),
  )
})
