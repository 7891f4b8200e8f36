import { createHmac, createPublicKey, sign } from 'node:crypto'
import type { CredentialsFile } from '../../src/store/service-account-file.ts'
import { base64url, createLocalKey } from '../auth/local-key.ts'
import {
  assertionClaims,
  assertionFields,
  assertionOf,
  type FormFields,
  type Json,
  seconds,
  signWith,
} from './machine-requests.ts'

export type HostileForm = readonly [title: string, fields: FormFields]

export interface AssertionFiles {
  readonly robot: CredentialsFile
  readonly other: CredentialsFile
  readonly disabled: CredentialsFile
  readonly revoked: CredentialsFile
  readonly expired: CredentialsFile
}

/** Assertions that must not give a token. */
export function hostileAssertions(files: AssertionFiles): readonly HostileForm[] {
  const tokens = { ...wrongSignatures(files), ...wrongClaims(files.robot), ...wrongShapes(files.robot) }
  return [
    ...Object.entries(tokens).map(([title, token]): HostileForm => [title, assertionFields(token)]),
    ...wrongForms(files.robot),
  ]
}

function wrongSignatures({
  robot,
  other,
  disabled,
  revoked,
  expired,
}: AssertionFiles): Json & Record<string, string> {
  const claims = assertionClaims(robot)
  const kid = robot.private_key_id
  const body = (header: object): string => `${base64url(header)}.${base64url(claims)}`
  const publicPem = String(createPublicKey(robot.private_key).export({ format: 'pem', type: 'spki' }))
  const hmac = (secret: string): string => {
    const input = body({ alg: 'HS256', typ: 'JWT' })
    return `${input}.${createHmac('sha256', secret).update(input).digest('base64url')}`
  }
  const good = assertionOf(robot)
  const [head = '', payload = '', signature = ''] = good.split('.')
  const stranger = createLocalKey('RS256')
  const curve = createLocalKey('ES256')
  const pss = createLocalKey('PS256')
  const richer = base64url({ ...claims, scope: 'notes:write' })
  const sha512 = body({ alg: 'RS512' })
  return {
    'alg none without a signature': `${body({ alg: 'none' })}.`,
    'alg none with a signature': `${body({ alg: 'none' })}.${signature}`,
    'alg NONE': `${body({ alg: 'NONE' })}.${signature}`,
    'no alg': `${body({ typ: 'JWT' })}.${signature}`,
    'HS256 with the public key as secret': hmac(publicPem),
    'HS256 with an empty secret': hmac(''),
    'the key of a stranger': stranger.token({ alg: 'RS256' }, claims),
    'the key of a stranger under a known kid': stranger.token({ alg: 'RS256', kid }, claims),
    'the key of a stranger in the header': stranger.token({ alg: 'RS256', jwk: stranger.bareJwk }, claims),
    'a jku': stranger.token({ alg: 'RS256', jku: 'https://evil.example/jwks', kid: stranger.kid }, claims),
    'an x5u': stranger.token({ alg: 'RS256', x5u: 'https://evil.example/cert' }, claims),
    'ES256 by a stranger': curve.token({ alg: 'ES256' }, claims),
    'PS256 by a stranger': pss.token({ alg: 'PS256' }, claims),
    'RS512 by the account': `${sha512}.${sign('sha512', Buffer.from(sha512), robot.private_key).toString('base64url')}`,
    'the key of another account': signWith(other, claims),
    'the kid of another account': assertionOf(robot, {}, { kid: other.private_key_id }),
    'an unknown kid': assertionOf(robot, {}, { kid: 'unknown' }),
    'an empty kid': assertionOf(robot, {}, { kid: '' }),
    'a kid that is a number': assertionOf(robot, {}, { kid: 7 }),
    'a kid that is a path': assertionOf(robot, {}, { kid: '../../../etc/passwd' }),
    'a crit that nobody knows': assertionOf(robot, {}, { crit: ['exp'] }),
    'an unencoded payload': assertionOf(robot, {}, { crit: ['b64'], b64: false }),
    'a changed payload': `${head}.${richer}.${signature}`,
    'a cut signature': good.slice(0, -8),
    'no signature': `${head}.${payload}.`,
    'an account that is disabled': assertionOf(disabled),
    'a key that was revoked': assertionOf(revoked),
    'a key that was revoked, by its kid': assertionOf(revoked, {}, { kid: revoked.private_key_id }),
    'a key that has expired': assertionOf(expired),
    'a key that has expired, by its kid': assertionOf(expired, {}, { kid: expired.private_key_id }),
  }
}

function wrongClaims(robot: CredentialsFile): Record<string, string> {
  const changes: Readonly<Record<string, Json>> = {
    expired: { iat: seconds(-4000), exp: seconds(-400) },
    'from the future': { iat: seconds(400), exp: seconds(4000) },
    'a life of more than an hour': { exp: seconds(3700) },
    'a life of a year': { exp: seconds(31_536_000) },
    'older than an hour': { iat: seconds(-4000), exp: seconds(-390) },
    'an end before its beginning': { iat: seconds(10), exp: seconds(-10) },
    'no exp': { exp: undefined },
    'no iat': { iat: undefined },
    'an exp that is a text': { exp: String(seconds(600)) },
    'an exp beyond numbers': { exp: 1e308 },
    'an nbf to come': { nbf: seconds(1000) },
    'no aud': { aud: undefined },
    'the aud of another server': { aud: 'https://other.example/token' },
    'an aud that only begins well': { aud: 'https://oauth2.googleapis.com/token.evil.example' },
    'an aud in capitals': { aud: 'https://OAUTH2.googleapis.com/token' },
    'an aud that is an object': { aud: { url: 'https://oauth2.googleapis.com/token' } },
    'an aud of a service': { aud: 'https://gateway.example/' },
    'the subject of somebody else': { sub: 'ada@example.com' },
    'a subject that is empty': { sub: '' },
    'a subject that is a list': { sub: [robot.client_email] },
    'no iss': { iss: undefined },
    'an unknown iss': { iss: 'nobody@demo.iam.postern.example' },
    'an iss in capitals': { iss: robot.client_email.toUpperCase() },
    'an iss with a zero byte': { iss: `${robot.client_email}\u0000` },
    'an iss with half a character': { iss: `${robot.client_email}\ud800` },
    'an iss that is a list': { iss: [robot.client_email] },
    'an iss that is a pattern': { iss: '%@demo.iam.postern.example' },
    'an iss that is SQL': { iss: `' or '1'='1` },
    'a scope beyond the account': { scope: 'notes:admin' },
    'a scope beyond the account among others': { scope: 'notes:read notes:admin' },
    'a scope that only begins well': { scope: 'notes:readx' },
    'a scope in capitals': { scope: 'NOTES:READ' },
    'a scope that is a list': { scope: ['notes:read'] },
    'a scope that spells no description': { scope: 'notes:"\\ü\n\u0000' },
    'an endless scope': { scope: 'x'.repeat(5000) },
    'an empty scope': { scope: '' },
    'a scope of blanks': { scope: '   ' },
    'no scope': { scope: undefined },
    'only a scope that no resource knows': { scope: 'unknown:scope' },
    'a jti that is a number': { jti: 7 },
  }
  return Object.fromEntries(
    Object.entries(changes).map(([title, change]) => [title, assertionOf(robot, change)]),
  )
}

function wrongShapes(robot: CredentialsFile): Record<string, string> {
  const good = assertionOf(robot)
  return {
    'no JWT': 'assertion',
    'two parts': good.split('.').slice(0, 2).join('.'),
    'five parts': `${good}.a.b`,
    'claims that are no JSON': signWith(robot, 'claims'),
    'claims that are a list': signWith(robot, '[]'),
    'claims that are null': signWith(robot, 'null'),
    'a header that is no JSON': signWith(robot, assertionClaims(robot), 'header'),
    'a header that is null': signWith(robot, assertionClaims(robot), 'null'),
    'an assertion in an assertion': signWith(robot, good, { alg: 'RS256', cty: 'JWT' }),
    'a token of 12 kilobytes and more': assertionOf(robot, { pad: 'x'.repeat(12_288) }),
    'blanks around it': ` ${good} `,
    'a zero byte': `${good}\u0000`,
  }
}

function wrongForms(robot: CredentialsFile): readonly HostileForm[] {
  const good = assertionFields(assertionOf(robot))
  const pairs = Object.entries(good)
  return [
    ['two assertions', [...pairs, ['assertion', assertionOf(robot)]]],
    ['two grant types', [['grant_type', 'authorization_code'], ...pairs]],
    ['two scopes', [...pairs, ['scope', 'notes:read'], ['scope', 'notes:write']]],
    [
      'two resources',
      [...pairs, ['resource', 'https://gateway.example/mcp'], ['resource', 'https://evil.example']],
    ],
    ['no assertion', { grant_type: good.grant_type ?? '' }],
    ['an empty assertion', { ...good, assertion: '' }],
    ['a resource elsewhere', { ...good, resource: 'https://gateway.example/mcp/' }],
  ]
}
