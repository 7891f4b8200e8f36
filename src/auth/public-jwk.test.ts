import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLocalKey } from '../../test/auth/local-key.ts'
import { fitsAlgorithm, publicJwk } from './public-jwk.ts'

const algorithms = [
  'RS256',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
  'HS256',
  'none',
  'ES256K',
]
const fits: readonly [algorithm: 'ES256' | 'RS256' | 'EdDSA', accepted: readonly string[]][] = [
  ['ES256', ['ES256']],
  ['RS256', ['RS256', 'PS512']],
  ['EdDSA', ['EdDSA', 'Ed25519']],
]

for (const [algorithm, accepted] of fits) {
  test(`a key for ${algorithm} fits ${accepted.join(' and ')} only, and only its public part is kept`, () => {
    const key = createLocalKey(algorithm)
    const jwk = publicJwk(key.publicJwk)
    assert.ok(jwk !== undefined)
    assert.deepEqual({ ...jwk }, { ...key.bareJwk })
    assert.deepEqual(
      algorithms.filter((name) => fitsAlgorithm(jwk, name)),
      accepted,
    )
  })
}

const key = createLocalKey('RS256')
const refused: readonly [title: string, jwk: unknown][] = [
  ['a private key', key.privateKey.export({ format: 'jwk' })],
  ['a symmetric key', { kty: 'oct', k: 'c2VjcmV0' }],
  ['a key with a secret member', { ...key.bareJwk, k: 'c2VjcmV0' }],
  ['a key without its modulus', { kty: 'RSA', e: 'AQAB' }],
  ['a modulus that is a number', { kty: 'RSA', n: 5, e: 'AQAB' }],
  ['an exponent made to be slow', { ...key.bareJwk, e: 'A'.repeat(342) }],
  ['a modulus made to be slow', { ...key.bareJwk, n: 'A'.repeat(2000) }],
  ['another kind', { kty: 'AKP', pub: 'AQAB' }],
  ['a text', 'RSA'],
  ['nothing', undefined],
]

for (const [title, jwk] of refused) {
  test(`${title} is not a public key`, () => {
    assert.equal(publicJwk(jwk), undefined)
  })
}
