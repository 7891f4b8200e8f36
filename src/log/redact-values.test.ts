import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { valueRedactor } from './redact-values.ts'

const secret = 'pä"ss\\wörd/+ &%\n42'

const forms: Readonly<Record<string, string>> = {
  'as it is': secret,
  'URL-encoded': encodeURIComponent(secret),
  'URL-encoded in lower case': encodeURIComponent(secret).replaceAll(/%../g, (byte) => byte.toLowerCase()),
  'form-encoded': new URLSearchParams({ x: secret }).toString(),
  'as JSON inside a text': JSON.stringify({ x: secret }),
  'in base64': Buffer.from(secret).toString('base64'),
  'in base64url': Buffer.from(secret).toString('base64url'),
}

for (const [name, text] of Object.entries(forms)) {
  test(`a secret is replaced ${name}`, () => {
    const line = JSON.stringify({ harmless: `before ${text} after` })
    const cleaned = valueRedactor([secret])(line)
    assert.match(JSON.parse(cleaned).harmless, /^before .*\[redacted\].* after$/)
    assert.equal(cleaned.includes(JSON.stringify(text).slice(1, -1)), false)
  })
}

test('a secret inside a longer base64 text is replaced wherever it starts', () => {
  for (const user of ['', 'a', 'ab', 'abc', 'abcd']) {
    const text = Buffer.from(`${user}:correct-horse-battery!`).toString('base64')
    const cleaned = valueRedactor(['correct-horse-battery'])(text)
    assert.match(cleaned, /\[redacted\]/)
    assert.doesNotMatch(Buffer.from(cleaned, 'base64').toString('latin1'), /horse/)
  }
})

test('the longer of two secrets goes first, so that none of it is left', () => {
  assert.equal(valueRedactor(['12345678', '123456789abcdef'])('x 123456789abcdef y'), 'x [redacted] y')
})

test('a secret of fewer than 8 characters is not looked for', () => {
  assert.equal(valueRedactor(['short12', ''])('a short12 text'), 'a short12 text')
})

test('without secrets a line stays the same', () => {
  assert.equal(valueRedactor([])('{"a":1}'), '{"a":1}')
})

test('no secret survives in any text, escaped or encoded', () => {
  const text = fc.string({ unit: 'binary', maxLength: 20 })
  const anySecret = fc.string({ unit: 'grapheme', minLength: 8, maxLength: 40 })
  const encodings = [
    (value: string) => value,
    (value: string) => encodeURIComponent(value.toWellFormed()),
    (value: string) => Buffer.from(value).toString('base64'),
    (value: string) => JSON.stringify(value),
  ]
  fc.assert(
    fc.property(anySecret, text, fc.constantFrom(...encodings), (value, around, encode) => {
      const encoded = JSON.stringify(encode(value)).slice(1, -1)
      const line = JSON.stringify({ msg: around }).replace('"}', `${encoded}"}`)
      assert.equal(valueRedactor([value])(line).includes(encoded), false)
    }),
  )
})
