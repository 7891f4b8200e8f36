import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { after, test } from 'node:test'
import { calculateJwkThumbprint } from 'jose'
import { bearer, callWith, resource } from '../../test/auth/call.ts'
import { openAuthenticator } from '../../test/auth/local-authenticator.ts'
import { type Claims, startLocalIssuer } from '../../test/auth/local-issuer.ts'
import { createLocalKey, type LocalAlgorithm, type LocalKey } from '../../test/auth/local-key.ts'
import { createLog } from '../log/log.ts'
import type { AuthRequest } from './authenticator.ts'

const clock = { now: 1_800_000_000_000 }
const now = (): number => clock.now
const issuer = await startLocalIssuer({ audience: resource, now })
const authenticator = openAuthenticator({
  resource,
  issuers: [issuer.jwt()],
  log: createLog({ level: 'silent' }),
  now,
})
const client = createLocalKey()
const token = issuer.token({ cnf: { jkt: await calculateJwkThumbprint(client.bareJwk) } })

after(async () => {
  await authenticator.close()
  await issuer.stop()
})

/** A good proof, but for what is given. */
function proof(claims: Claims = {}, header: Claims = {}, key: LocalKey = client): string {
  return key.token(
    { typ: 'dpop+jwt', alg: key.algorithm, jwk: key.bareJwk, ...header },
    {
      jti: crypto.randomUUID(),
      htm: 'POST',
      htu: resource,
      iat: clock.now / 1000,
      ath: hash('sha256', token, 'base64url'),
      ...claims,
    },
  )
}

function call(...proofs: readonly string[]): AuthRequest {
  return callWith(
    ['Authorization', `DPoP ${token}`],
    ...proofs.map((text): readonly [string, string] => ['DPoP', text]),
  )
}

const refused = (request: AuthRequest, message: RegExp, reason = 'invalid_dpop_proof'): Promise<void> =>
  assert.rejects(async () => authenticator.authenticate(request), {
    code: 'unauthenticated',
    reason,
    message,
  })

test('a bound token with its proof is accepted, again and again with new proofs', async () => {
  for (let count = 0; count < 3; count += 1) {
    const principal = await authenticator.authenticate(call(proof()))
    assert.equal(principal.dpopKeyThumbprint, await calculateJwkThumbprint(client.bareJwk))
  }
})

for (const algorithm of ['RS256', 'PS256', 'EdDSA'] satisfies LocalAlgorithm[]) {
  test(`a proof with ${algorithm} is accepted`, async () => {
    const key = createLocalKey(algorithm)
    const bound = issuer.token({ cnf: { jkt: await calculateJwkThumbprint(key.bareJwk) } })
    const text = proof({ ath: hash('sha256', bound, 'base64url') }, {}, key)
    const principal = await authenticator.authenticate(
      callWith(['Authorization', `DPoP ${bound}`], ['DPoP', text]),
    )
    assert.equal(principal.subject, 'alice')
  })
}

test('a bound token sent as Bearer is refused, with a proof and without', async () => {
  await refused(bearer(token), /send it as DPoP/, 'invalid_token')
  const both = callWith(['Authorization', `Bearer ${token}`], ['DPoP', proof()])
  await refused(both, /send it as DPoP/, 'invalid_token')
})

test('a token that is not bound is refused as DPoP', async () => {
  const unbound = callWith(['Authorization', `DPoP ${issuer.token()}`], ['DPoP', proof()])
  await refused(unbound, /send it as Bearer/, 'invalid_token')
})

test('there is exactly one proof', async () => {
  await refused(call(), /exactly one/)
  await refused(call(proof(), proof()), /exactly one/)
})

test('a proof is good once', async () => {
  const once = proof()
  await authenticator.authenticate(call(once))
  await refused(call(once), /used before/)
  const outcomes = await Promise.allSettled(
    Array(20)
      .fill(call(proof()))
      .map(async (one) => authenticator.authenticate(one)),
  )
  assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 1)
})

test('a proof is not good again later, for as long as its time would still be right', async () => {
  const early = proof({ iat: clock.now / 1000 + 30 })
  await authenticator.authenticate(call(early))
  clock.now += 89_000
  await refused(call(early), /used before/)
  clock.now += 2000
  await refused(call(early), /iat/)
})

test('query, fragment and the case of the host do not matter in htu', async () => {
  for (const htu of [`${resource}?a=b`, `${resource}#x`, resource.replace('http', 'HTTP')]) {
    assert.equal((await authenticator.authenticate(call(proof({ htu })))).subject, 'alice')
  }
})

const attacker = createLocalKey()
const rsa = createLocalKey('RS256')
const rows: readonly [title: string, text: () => string, message: RegExp][] = [
  ['another method', () => proof({ htm: 'GET' }), /htm/],
  ['the method in lower case', () => proof({ htm: 'post' }), /htm/],
  ['no method', () => proof({ htm: undefined }), /htm/],
  ['another path', () => proof({ htu: `${resource}/x` }), /htu/],
  ['another host', () => proof({ htu: 'http://evil.example/mcp' }), /htu/],
  ['another scheme', () => proof({ htu: resource.replace('http', 'https') }), /htu/],
  ['a user in the URL', () => proof({ htu: resource.replace('//', '//u@') }), /htu/],
  ['no URL', () => proof({ htu: undefined }), /htu/],
  ['a URL that is none', () => proof({ htu: '/mcp' }), /htu/],
  ['an old proof', () => proof({ iat: clock.now / 1000 - 61 }), /iat/],
  ['a proof of the future', () => proof({ iat: clock.now / 1000 + 31 }), /iat/],
  ['no time', () => proof({ iat: undefined }), /iat/],
  ['a time as text', () => proof({ iat: String(clock.now / 1000) }), /iat/],
  ['no id', () => proof({ jti: undefined }), /jti/],
  ['an empty id', () => proof({ jti: '' }), /jti/],
  ['an id that is a number', () => proof({ jti: 5 }), /jti/],
  ['no hash of the token', () => proof({ ath: undefined }), /ath/],
  ['the hash of another token', () => proof({ ath: hash('sha256', 'x', 'base64url') }), /ath/],
  ['another key', () => proof({}, {}, attacker), /another key/],
  ['the right key shown, another one used', () => proof({}, { jwk: client.bareJwk }, attacker), /signature/],
  [
    'the private key shown',
    () => proof({}, { jwk: client.privateKey.export({ format: 'jwk' }) }),
    /public key/,
  ],
  ['a symmetric key', () => proof({}, { jwk: { kty: 'oct', k: 'c2VjcmV0' } }), /public key/],
  ['no key', () => proof({}, { jwk: undefined }), /public key/],
  ['a key of another algorithm', () => proof({}, { alg: 'RS256' }), /public key/],
  ['alg none', () => proof({}, { alg: 'none' }), /algorithm/],
  ['HS256', () => proof({}, { alg: 'HS256' }), /algorithm/],
  ['an RSA key called ES256', () => proof({}, { alg: 'ES256' }, rsa), /public key/],
  ['another type', () => proof({}, { typ: 'JWT' }), /type/],
  ['no type', () => proof({}, { typ: undefined }), /type/],
  ['a critical extension', () => proof({}, { crit: ['x'], x: 1 }), /header/],
  ['a key elsewhere', () => proof({}, { jku: 'https://evil.example' }), /header/],
  ['a spoiled signature', () => `${proof().slice(0, -4)}AAAA`, /signature/],
  ['no signature', () => `${proof().split('.').slice(0, 2).join('.')}.`, /signed JWT/],
  ['no JWT', () => 'proof', /signed JWT/],
  ['a huge proof', () => proof({ pad: 'x'.repeat(9000) }), /longer/],
]

for (const [title, text, message] of rows) {
  test(`a proof with a flaw is refused: ${title}`, async () => {
    await refused(call(text()), message)
  })
}
