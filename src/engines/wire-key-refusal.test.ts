import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isAboutOurKey } from './wire-key-refusal.ts'

const refusal = JSON.stringify({
  error: { code: 400, details: [{ reason: 'API_KEY_INVALID' }, { locale: 'en-US' }] },
})

test('a refusal of the key is known in one piece, in several and in a list', () => {
  const bytes = Buffer.from(refusal)
  assert.equal(isAboutOurKey([bytes]), true)
  assert.equal(isAboutOurKey([bytes.subarray(0, 45), bytes.subarray(45)]), true)
  assert.equal(isAboutOurKey([Buffer.from(`[${refusal}\n]\n`)]), true)
})

test('a message that only speaks of such a refusal is none', () => {
  const quoting = { error: { code: 400, message: 'unknown name "API_KEY_INVALID"', details: [] } }
  assert.equal(isAboutOurKey([Buffer.from(JSON.stringify(quoting))]), false)
  assert.equal(isAboutOurKey([Buffer.from('API_KEY_INVALID')]), false)
  assert.equal(isAboutOurKey([]), false)
})
