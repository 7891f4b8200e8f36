import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLocalKey } from '../../test/auth/local-key.ts'
import { readKeySet } from './signing-key.ts'

const key = createLocalKey('ES256', 'k')
const header = { alg: 'ES256', kid: 'k' }

test('a key answers to its id and its algorithm', () => {
  const [found] = readKeySet({ keys: [key.publicJwk] }) ?? []
  assert.equal(found?.matches(header), true)
  assert.equal(found?.matches({ ...header, kid: undefined }), true)
  assert.equal(found?.matches({ ...header, kid: 'K' }), false)
  assert.equal(found?.matches({ ...header, alg: 'ES384' }), false)
})

test('an RSA key that names its algorithm is for no other', () => {
  const [found] = readKeySet({ keys: [createLocalKey('RS256', 'k').publicJwk] }) ?? []
  assert.equal(found?.matches({ alg: 'RS256', kid: 'k' }), true)
  assert.equal(found?.matches({ alg: 'PS256', kid: 'k' }), false)
})

test('EdDSA and Ed25519 are two names of one algorithm', () => {
  const [found] = readKeySet({ keys: [createLocalKey('EdDSA', 'k').publicJwk] }) ?? []
  assert.equal(found?.matches({ alg: 'Ed25519', kid: 'k' }), true)
})

test('keys that are not for signatures, private, symmetric or unknown are passed over', () => {
  const keys = [
    { ...key.publicJwk, use: 'enc' },
    { ...key.publicJwk, key_ops: ['encrypt'] },
    { ...key.publicJwk, key_ops: 'verify' },
    { ...key.privateKey.export({ format: 'jwk' }), kid: 'k' },
    { kty: 'oct', k: 'c2VjcmV0', kid: 'k' },
    { kty: 'AKP', kid: 'k' },
    'k',
    null,
  ]
  assert.deepEqual(readKeySet({ keys }), [])
})

test('what is no key set is none', () => {
  for (const document of [
    undefined,
    {},
    { keys: {} },
    { keys: 'x' },
    { keys: Array(201).fill(key.publicJwk) },
  ]) {
    assert.equal(readKeySet(document), undefined)
  }
})
