import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Failure } from '../failure/failure.ts'
import { parseConfig } from './parse-config.ts'

function refusal(text: string): Failure {
  try {
    parseConfig(text, { file: 'f', env: {} })
  } catch (cause) {
    if (cause instanceof Failure) return cause
  }
  return assert.fail('accepted')
}

test('a value that ran into its key is not repeated, neither in the message nor in the field', () => {
  const texts = [
    'clientSecret=hunter2',
    'clientSecret hunter2',
    '=hunter2',
    'vendor:hunter2',
    'apikey=hunter2',
  ]
  for (const text of texts) {
    const { message, field } = refusal(`{ ${text} }`)
    assert.match(message, /^f:1:3: unknown key "\w*…"/, text)
    assert.doesNotMatch(`${message} ${field}`, /hunter2/)
  }
})

test('a known key without a space after its colon is told so', () => {
  const { message, field } = refusal('{ vendor:hunter2 }')
  assert.equal(
    message,
    'f:1:3: unknown key "vendor…" (vendor…): write "vendor: …", with a space after the colon',
  )
  assert.equal(field, 'vendor…')
})

test('too many unknown keys are refused without repeating one', () => {
  const keys = Array.from({ length: 20_100 }, (_, index) => `apiKey:hunter2${index}`)
  assert.doesNotMatch(refusal(`server: { ${keys.join(', ')} }`).message, /hunter2/)
})
