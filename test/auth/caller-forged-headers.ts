import { createHmac, createPublicKey, generateKeyPairSync, sign } from 'node:crypto'
import { type Forgery, type Loot, type Members, ofVictim, usualClaims, usualHeader } from './caller-loot.ts'
import { signWith } from './caller-setting.ts'
import { base64url } from './local-key.ts'

export function wrongAlgorithms({ victim, now }: Loot): readonly Forgery[] {
  const claims = base64url(usualClaims(victim, now))
  const head = (alg: unknown): string => `${base64url({ ...usualHeader(victim), alg })}.${claims}`
  const key = createPublicKey(victim.private_key)
  const secrets: readonly (readonly [title: string, secret: string | Buffer])[] = [
    ['the PEM of the public key', key.export({ format: 'pem', type: 'spki' })],
    ['the DER of the public key', key.export({ format: 'der', type: 'spki' })],
    ['the JWK of the public key', JSON.stringify(key.export({ format: 'jwk' }))],
    ['the key id', victim.private_key_id],
    ['nothing', ''],
  ]
  const rsa = (alg: string, digest: string): string =>
    `${head(alg)}.${sign(digest, Buffer.from(head(alg)), victim.private_key).toString('base64url')}`
  const curve = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey
  const elliptic = sign('sha256', Buffer.from(head('ES256')), { key: curve, dsaEncoding: 'ieee-p1363' })
  return [
    ['alg none without a signature', `${head('none')}.`],
    ['alg none with a byte for a signature', `${head('none')}.AA`],
    ['alg None with a good signature', rsa('None', 'sha256')],
    ['alg RS512 by the right key', rsa('RS512', 'sha512')],
    ['alg RS384 by the right key', rsa('RS384', 'sha384')],
    ['alg PS256 by the right key', rsa('PS256', 'sha256')],
    ['alg in lower case', rsa('rs256', 'sha256')],
    ['ES256 with a key of the attacker', `${head('ES256')}.${elliptic.toString('base64url')}`],
    ['no alg', `${head(undefined)}.AAAA`],
    ['alg as a list', `${head(['RS256'])}.AAAA`],
    ...secrets.map(([title, secret]): Forgery => {
      const mac = createHmac('sha256', secret).update(head('HS256')).digest('base64url')
      return [`HS256 with ${title}`, `${head('HS256')}.${mac}`]
    }),
  ]
}

export function wrongHeaders(loot: Loot): readonly Forgery[] {
  const { victim } = loot
  const jwk = createPublicKey(victim.private_key).export({ format: 'jwk' })
  const headers: readonly Members[] = [
    { crit: ['exp'] },
    { crit: [] },
    { jwk },
    { jku: 'https://evil.example/jwks' },
    { x5u: 'https://evil.example/cert' },
    { x5c: ['MIIB'] },
    { b64: false },
    { zip: 'DEF' },
    { cty: 'JWT' },
    { enc: 'A256GCM' },
    { typ: 'dpop+jwt' },
    { typ: 'id+jwt' },
    { typ: 5 },
    { kid: loot.other.private_key_id },
    { kid: '../../../../dev/null' },
    { kid: "' OR 1=1 --" },
    { kid: `${victim.private_key_id}\u0000` },
    { kid: victim.private_key_id.toUpperCase() },
    { kid: 'k'.repeat(600) },
    { kid: '' },
    { kid: 5 },
    { kid: null },
    { kid: [victim.private_key_id] },
    { kid: '__proto__' },
  ]
  return headers.map(
    (header): Forgery => [`header ${JSON.stringify(header).slice(0, 60)}`, ofVictim(loot, {}, header)],
  )
}

export function wrongSigners(loot: Loot): readonly Forgery[] {
  const { victim, other, disabled, deleted, revoked, expired, now } = loot
  const claims = usualClaims(victim, now)
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const own = { private_key: String(privateKey.export({ format: 'pem', type: 'pkcs8' })) }
  const good = ofVictim(loot)
  const [head = '', body = '', signature = ''] = good.split('.')
  return [
    ['the key of another account', signWith(other, usualHeader(other), claims)],
    ['the key of another account, with our key id', signWith(other, usualHeader(victim), claims)],
    ['the key of another account, without a key id', signWith(other, { alg: 'RS256' }, claims)],
    ['a key of the attacker', signWith(own, usualHeader(victim), claims)],
    ['a key of the attacker, without a key id', signWith(own, { alg: 'RS256', typ: 'JWT' }, claims)],
    ['a disabled account', signWith(disabled, usualHeader(disabled), usualClaims(disabled, now))],
    ['an account that is gone', signWith(deleted, usualHeader(deleted), usualClaims(deleted, now))],
    ['a revoked key', signWith(revoked, usualHeader(revoked), claims)],
    ['a revoked key, without its id', signWith(revoked, { alg: 'RS256' }, claims)],
    ['an expired key', signWith(expired, usualHeader(expired), claims)],
    ['the signature of another token', `${head}.${body}.${ofVictim(loot, { iat: now - 1 }).split('.')[2]}`],
    [
      'the signature with a bit changed',
      `${head}.${body}.${signature[0] === 'A' ? 'B' : 'A'}${signature.slice(1)}`,
    ],
    ['a signature of zeros', `${head}.${body}.${'A'.repeat(signature.length)}`],
    ['an empty signature', `${head}.${body}.`],
    ['half a signature', `${head}.${body}.${signature.slice(0, 170)}`],
    ['the claims changed', `${head}.${base64url({ ...claims, exp: now + 3601 })}.${signature}`],
  ]
}
