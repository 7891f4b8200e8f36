import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dpopChallenge } from './dpop-challenge.ts'

test('a proof that does not hold is told apart from a token that does not', () => {
  assert.match(String(dpopChallenge('dpop_required')), /^DPoP error="invalid_token", algs="[^"]+"$/)
  assert.match(String(dpopChallenge('invalid_dpop_proof')), /^DPoP error="invalid_dpop_proof", algs="[^"]+"$/)
})

test('what has nothing to do with proofs is not challenged for one', () => {
  assert.equal(dpopChallenge('invalid_token'), undefined)
  assert.equal(dpopChallenge(undefined), undefined)
})
