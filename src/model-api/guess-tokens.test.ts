import assert from 'node:assert/strict'
import { test } from 'node:test'
import { guessTokens } from './guess-tokens.ts'

const room = { inputTokenLimit: 1_000_000 }
const guess = (body: unknown, limits = room): number =>
  guessTokens(Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)), limits)

test('four bytes of a request are a token', () => {
  assert.equal(guess('x'.repeat(4000)), 1000)
  assert.equal(guess('ä'.repeat(2001)), 1001)
  assert.equal(guess(''), 0)
})

test('pictures and sounds have far fewer tokens than bytes, but texts have theirs in every form', () => {
  const data = 'A'.repeat(1_000_000)
  for (const field of ['inlineData', 'inline_data']) {
    const of = (mimeType: string): number =>
      guess({ parts: [{ [field]: { mimeType, data } }, { text: 'Hi' }] })
    assert.ok(of('image/png') > 1000 && of('image/png') < 1050, `${of('image/png')}`)
    assert.ok(of('text/plain') > 250_000)
  }
  assert.ok(guess({ parts: [{ text: `"inlineData" ${data}` }] }) > 250_000)
})

test('no model has read more than it can', () => {
  assert.equal(guess('x'.repeat(4000), { inputTokenLimit: 192 }), 192)
})

test('a body that breaks off in the middle of a picture is all text', () => {
  assert.equal(guess(`"inlineData"${'x'.repeat(28)}`), 10)
})
