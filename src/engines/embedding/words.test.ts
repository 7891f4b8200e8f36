import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createWordReader } from './words.ts'

const read = createWordReader(new Set(['cafe', 'play', '##ing', '##s', '.', 'the', '猫', '$', '5']))
const shown = (text: string): string =>
  read(text)
    .map((word) => `${word.text}:${word.pieces}`)
    .join(' ')

test('words are read in lower case and without accents', () => {
  assert.equal(shown('The Café'), 'the:1 cafe:1')
})

test('punctuation and ideographs stand alone', () => {
  assert.equal(shown('the.猫the $5'), 'the:1 .:1 猫:1 the:1 $:1 5:1')
})

test('a word falls into its longest known pieces, or is unknown as a whole', () => {
  assert.equal(shown('playing plays playful'), 'playing:2 plays:2 playful:1')
  assert.equal(shown('play'.repeat(30)), `${'play'.repeat(30)}:1`)
})

test('control characters are dropped, white space parts, marks are one piece', () => {
  assert.equal(shown('the\u0007\tplay\u00a0[SEP]the\n'), 'the:1 play:1 [SEP]:1 the:1')
})
