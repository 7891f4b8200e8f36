import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isAccountEmail, readSelfSignedClaims } from './self-signed-claims.ts'

const now = 1_763_164_800
const email = 'robot@demo.iam.gate.example'
const good = { iss: email, sub: email, scope: 'a  b ', iat: now, exp: now + 3600 }
const read = (changes: object): ReturnType<typeof readSelfSignedClaims> =>
  readSelfSignedClaims({ ...good, ...changes }, now * 1000)

test('a token names its account, what it asks for and when it ends', () => {
  assert.deepEqual(read({}), { email, scopes: ['a', 'b'], audience: undefined, expiresAt: now + 3600 })
  assert.deepEqual(read({ scope: undefined, aud: 'https://gate.example/' }), {
    email,
    scopes: undefined,
    audience: 'https://gate.example/',
    expiresAt: now + 3600,
  })
})

test('the clocks may differ by a minute, and no more', () => {
  for (const times of [
    { iat: now - 3600, exp: now - 59 },
    { iat: now + 60, exp: now + 3660 },
    { exp: now + 3660 },
    { nbf: now + 60 },
    { iat: now - 0.5, exp: now + 0.5 },
  ])
    assert.equal(read(times).email, email)
  for (const times of [
    { iat: now - 3600, exp: now - 60 },
    { iat: now + 61, exp: now + 3661 },
    { exp: now + 3661 },
    { nbf: now + 61 },
    { exp: now },
  ])
    assert.throws(() => read(times), { code: 'unauthenticated', reason: 'jwt_invalid' })
})

test('a token that asks for no scope by name is refused as malformed', () => {
  for (const scope of ['', '  ']) assert.throws(() => read({ scope }), { reason: 'jwt_invalid' })
})

test('the name of an account is an e-mail in ASCII; an issuer identifier is none', () => {
  for (const text of [email, 'a@[::1]', 'a@localhost']) assert.equal(isAccountEmail(text), true)
  const others = [
    'https://as.example',
    'https://user@as.example',
    'robot',
    '@x',
    'a@',
    'a@b@c',
    'a b@c',
    'a@b/c',
  ]
  for (const text of [...others, 'ü@x', 'a@b\0', 'a@b\n', `${'x'.repeat(65)}@y`, undefined, 5, [email]])
    assert.equal(isAccountEmail(text), false, String(text))
})
