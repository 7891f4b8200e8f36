import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Failure } from '../failure/failure.ts'
import { type ClaimRules, readClaims } from './claims.ts'
import { isExpiry } from './refusal.ts'

const rules: ClaimRules = {
  issuer: {
    issuer: 'https://as.example',
    validate: 'jwt',
    algorithms: ['ES256'],
    clockSkewSeconds: 30,
    scopeClaim: 'scope',
  },
  resource: 'https://tools.example/mcp',
  now: 1_000_000_000,
}
const now = rules.now / 1000
const good = { aud: rules.resource, exp: now + 60, sub: 'alice', client_id: 'app', scope: 'a b' }
const thumbprint = 'A'.repeat(43)

test('claims for us and for now name the principal', () => {
  assert.deepEqual(readClaims(good, rules), {
    issuer: 'https://as.example',
    subject: 'alice',
    clientId: 'app',
    scopes: new Set(['a', 'b']),
    expiresAt: now + 60,
    dpopKeyThumbprint: undefined,
  })
})

test('what people know the subject by is shown, and decides nothing', () => {
  assert.equal(readClaims({ ...good, preferred_username: 'Ali\u0000ce' }, rules).name, 'Alice')
  for (const claim of [7, null, ['alice'], '', '\n']) {
    const read = readClaims({ ...good, preferred_username: claim }, rules)
    assert.deepEqual(read, readClaims(good, rules))
  }
  assert.throws(() =>
    readClaims({ ...good, sub: undefined, client_id: undefined, preferred_username: 'a' }, rules),
  )
})

test('the clocks may differ by the skew, and no more', () => {
  for (const times of [{ exp: now - 29 }, { nbf: now + 30 }, { iat: now + 30 }]) {
    assert.equal(readClaims({ ...good, ...times }, rules).subject, 'alice')
  }
  for (const times of [{ exp: now - 30 }, { nbf: now + 31 }, { iat: now + 31 }]) {
    assert.throws(() => readClaims({ ...good, ...times }, rules), Failure)
  }
})

test('a token whose time is over is told apart, under the reason that all bad tokens have', () => {
  const reading = (claims: object): Failure => {
    try {
      readClaims({ ...good, ...claims }, rules)
    } catch (failure) {
      if (failure instanceof Failure) return failure
    }
    throw new Error('not refused')
  }
  const failures = [{ exp: now - 30 }, { exp: undefined }, { nbf: now + 31 }, { aud: 'x' }].map(reading)
  assert.deepEqual(failures.map(isExpiry), [true, false, false, false])
  assert.deepEqual(new Set(failures.map(({ reason }) => reason)), new Set(['invalid_token']))
})

test('an audience may be one of several', () => {
  assert.equal(
    readClaims({ ...good, aud: ['https://a', 'HTTPS://Tools.example/mcp/'] }, rules).subject,
    'alice',
  )
})

test('a token that names only a client speaks for the client', () => {
  const { sub: _, ...claims } = good
  const client_id = 'https://app.example/client.json'
  const principal = readClaims({ ...claims, client_id }, rules)
  assert.deepEqual([principal.subject, principal.clientId], [client_id, client_id])
})

test('azp names the client where client_id is missing, but never the subject', () => {
  const { client_id: _, ...claims } = good
  assert.equal(readClaims({ ...claims, azp: 'app' }, rules).clientId, 'app')
  const { sub: __, ...nobody } = claims
  assert.throws(() => readClaims({ ...nobody, azp: 'app' }, rules), Failure)
})

test('scopes come from the configured claim alone, as a text or as a list', () => {
  const issuer = { ...rules.issuer, scopeClaim: 'scp' }
  const read = (scp: unknown): string[] => [...readClaims({ ...good, scp }, { ...rules, issuer }).scopes]
  assert.deepEqual(read(['x', 'y']), ['x', 'y'])
  assert.deepEqual(read('x  y '), ['x', 'y'])
  assert.deepEqual(read(undefined), [])
  for (const scp of [5, null, {}, ['x', 5], [['x']]]) assert.throws(() => read(scp), Failure)
})

test('a token bound to a key carries the thumbprint', () => {
  assert.equal(readClaims({ ...good, cnf: { jkt: thumbprint } }, rules).dpopKeyThumbprint, thumbprint)
})

test('a token bound in any other way is refused', () => {
  const bindings = [null, 'x', {}, { jkt: 5 }, { jkt: 'short' }, { 'x5t#S256': thumbprint }]
  for (const cnf of [...bindings, { jkt: thumbprint, 'x5t#S256': thumbprint }, [thumbprint]]) {
    assert.throws(() => readClaims({ ...good, cnf }, rules), /bound/)
  }
})
