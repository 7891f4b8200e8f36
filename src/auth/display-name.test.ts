import assert from 'node:assert/strict'
import { test } from 'node:test'
import { displayName } from './display-name.ts'

test('a name is shown as it is', () => {
  for (const name of ['ada', 'ada@example.com', 'Große Küche 厨房', '👩‍💻'.slice(0, 2)])
    assert.equal(displayName(name), name)
})

test('what could move the cursor or turn the text around is left out', () => {
  assert.equal(displayName(' a\u001b[31mda\u0000\n\u202e\ud800\u007f '), 'a[31mda')
})

test('a name ends after 100 characters, and never in the middle of one', () => {
  assert.equal(displayName('x'.repeat(5000)), 'x'.repeat(100))
  assert.equal(displayName('😀'.repeat(101)), '😀'.repeat(100))
  assert.equal(displayName(`${'x'.repeat(99)} y`), 'x'.repeat(99))
})

test('what is no text, or none to be shown, is no name', () => {
  for (const claim of [undefined, null, 7, {}, ['ada'], '', ' ', '\u0000'])
    assert.equal(displayName(claim), undefined)
})
