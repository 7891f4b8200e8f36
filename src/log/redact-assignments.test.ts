import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nameKind } from './name-kind.ts'
import { redactShapes } from './redact-shapes.ts'
import { secretWords } from './secret-words.ts'

function redactText(text: string): string {
  return JSON.parse(redactShapes(JSON.stringify({ msg: text }))).msg
}

test('every word of the list is a secret to both gates, however its parts are joined', () => {
  for (const { words } of secretWords) {
    for (const name of ['_', '-', ''].map((joint) => words.replaceAll(' ', joint))) {
      assert.equal(nameKind(name), 'secret', name)
      assert.equal(redactText(`got ${name}=planted`), `got ${name}=[redacted]`)
      assert.equal(redactText(`got {"${name}":"planted"}`), `got {"${name}":"[redacted]"}`)
      assert.equal(redactText(`got {"${name}":["planted"]}`), `got {"${name}":[redacted]}`)
      assert.equal(redactText(`run --${name} planted`), `run --${name} [redacted]`)
    }
  }
})

test('a telling word needs only a colon, and may hold a space', () => {
  for (const { words, inText } of secretWords) {
    const text = redactText(`got ${words}: planted`)
    assert.equal(text.endsWith('planted'), inText === 'ordinary', text)
  }
})
