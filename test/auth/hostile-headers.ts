import { createHmac } from 'node:crypto'
import { inspect } from 'node:util'
import { bearer, oneLine } from './call.ts'
import type { HostileCall, HostileSource } from './hostile-call.ts'
import type { Claims } from './local-issuer.ts'
import { base64url, createLocalKey } from './local-key.ts'

export function algorithmCalls({ issuer, rsaIssuer }: HostileSource): readonly HostileCall[] {
  const { kid } = issuer.key()
  const claims = issuer.claims()
  const unsigned = ['none', 'None', 'NONE', 'nOnE', '', 'null'].flatMap((alg): HostileCall[] => {
    const input = `${base64url({ alg, kid, typ: 'at+jwt' })}.${base64url(claims)}`
    const signature = issuer.key().signature(input)
    return [
      [`alg "${alg}" without a signature`, bearer(`${input}.`)],
      [`alg "${alg}" with a byte for a signature`, bearer(`${input}.AA`)],
      [`alg "${alg}" with a good signature`, bearer(`${input}.${signature}`)],
    ]
  })
  const rsa = rsaIssuer.key()
  const secrets: readonly [title: string, secret: string | Buffer][] = [
    ['the PEM of the public key', rsa.publicKey.export({ format: 'pem', type: 'spki' })],
    ['the DER of the public key', rsa.publicKey.export({ format: 'der', type: 'spki' })],
    ['the PKCS#1 PEM of the public key', rsa.publicKey.export({ format: 'pem', type: 'pkcs1' })],
    ['the JWK of the public key', JSON.stringify(rsa.publicJwk)],
    ['an empty secret', ''],
    ['the key id', rsa.kid],
  ]
  const confused = secrets.flatMap(([title, secret]) =>
    ['HS256', 'HS384', 'HS512'].map((alg): HostileCall => {
      const input = `${base64url({ alg, kid: rsa.kid })}.${base64url(rsaIssuer.claims())}`
      const mac = createHmac(alg.replace('HS', 'sha'), secret).update(input).digest('base64url')
      return [`${alg} with ${title}`, bearer(`${input}.${mac}`)]
    }),
  )
  const renamed = ['ES384', 'ES512', 'RS256', 'PS256', 'EdDSA', 'Ed25519', 'ES256K', 'es256', 'ES256 '].map(
    (alg): HostileCall => [`ES256 called "${alg}"`, bearer(issuer.token({}, { alg }))],
  )
  const odd = [undefined, null, 5, true, ['ES256'], { alg: 'ES256' }].map(
    (alg): HostileCall => [`alg ${inspect(alg, oneLine)}`, bearer(issuer.token({}, { alg }))],
  )
  return [...unsigned, ...confused, ...renamed, ...odd]
}

export function headerCalls({ issuer }: HostileSource): readonly HostileCall[] {
  const own = createLocalKey('ES256', issuer.key().kid)
  const claims = issuer.claims()
  const good = { alg: 'ES256', kid: own.kid, typ: 'at+jwt' }
  const url = `${issuer.issuer}/jwks`
  const ownKey: readonly Claims[] = [
    {},
    { kid: undefined },
    { jwk: own.publicJwk },
    { jwk: own.publicJwk, kid: undefined },
    { jku: 'https://evil.example/jwks' },
    { jku: url },
    { x5u: 'https://evil.example/cert' },
    { x5c: ['MIIB'] },
    { jwk: own.publicJwk, crit: ['jwk'] },
  ]
  const kids: readonly unknown[] = [
    '../../../../dev/null',
    '/dev/null',
    'file:///etc/passwd',
    "' OR 1=1 --",
    "x' UNION SELECT 'key",
    '| cat /etc/passwd',
    '%00',
    '\u0000',
    '__proto__',
    'constructor',
    'https://evil.example/key',
    '',
    `${own.kid} `,
    own.kid.toUpperCase(),
    'k'.repeat(600),
    5,
    null,
    [own.kid],
    { kid: own.kid },
  ]
  const signed: readonly Claims[] = [
    { jwk: issuer.key().publicJwk },
    { jku: url },
    { x5u: url },
    { x5c: ['MIIB'] },
    { crit: ['exp'] },
    { crit: [] },
    { crit: ['b64'], b64: false },
    { crit: ['http://example.invalid/UNDEFINED'], 'http://example.invalid/UNDEFINED': true },
    { crit: 'none' },
    { b64: true },
    { zip: 'DEF' },
    { enc: 'A256GCM' },
    { cty: 'JWT' },
    ...[
      'id+jwt',
      'logout+jwt',
      'dpop+jwt',
      'secevent+jwt',
      'JWE',
      'at+jwt ',
      'application/jwt',
      '',
      'jwt;at+jwt',
    ].map((typ) => ({ typ })),
    { typ: 5 },
    { typ: ['at+jwt'] },
    { typ: null },
  ]
  return [
    ...ownKey.map(
      (header): HostileCall => [
        `a key of the attacker, header ${inspect(header, oneLine)}`,
        bearer(own.token({ ...good, ...header }, claims)),
      ],
    ),
    ...kids.map(
      (kid): HostileCall => [
        `kid ${inspect(kid, oneLine).slice(0, 40)}`,
        bearer(own.token({ ...good, kid }, claims)),
      ],
    ),
    ...signed.map(
      (header): HostileCall => [
        `a good signature, header ${inspect(header, oneLine).slice(0, 60)}`,
        bearer(issuer.token({}, header)),
      ],
    ),
  ]
}
