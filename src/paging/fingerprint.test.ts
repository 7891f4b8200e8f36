import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { fingerprint, fingerprintLength } from './fingerprint.ts'

test('a fingerprint is the beginning of SHA-256 over the text', () => {
  const whole = createHash('sha256').update('[\u00e9]').digest()
  assert.deepEqual(fingerprint('[\u00e9]'), whole.subarray(0, fingerprintLength))
  assert.equal(fingerprint('').length, 6)
})
