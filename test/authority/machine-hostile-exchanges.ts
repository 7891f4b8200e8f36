import { createHmac } from 'node:crypto'
import { type Claims, type LocalIssuer, startLocalIssuer } from '../auth/local-issuer.ts'
import { base64url, createLocalKey } from '../auth/local-key.ts'
import type { MachineAuthority } from './machine-authority.ts'
import type { HostileForm } from './machine-hostile-assertions.ts'
import { assertionOf, exchangeFields, seconds } from './machine-requests.ts'

const subject = { sub: 'repo:team/app:main' }

/** Exchanges that must not give a token. */
export async function hostileExchanges(authority: MachineAuthority): Promise<readonly HostileForm[]> {
  const { audience, forge } = authority
  const tokens = {
    ...wrongSignatures(authority),
    ...(await wrongIssuers(authority)),
    ...wrongClaims(forge),
    ...wrongSubjects(forge),
  }
  return [
    ...Object.entries(tokens).map(([title, token]): HostileForm => [title, exchangeFields(audience, token)]),
    ...wrongForms(authority),
    ...wrongAudiences(authority),
  ]
}

function wrongSignatures({ forge, robot, url }: MachineAuthority): Record<string, string> {
  const key = forge.key()
  const claims = forge.claims(subject)
  const body = (header: object): string => `${base64url(header)}.${base64url(claims)}`
  const hmac = body({ alg: 'HS256', kid: key.kid })
  const secret = String(key.publicKey.export({ format: 'pem', type: 'spki' }))
  const [evil, curve] = [createLocalKey('RS256', key.kid), createLocalKey('ES256', key.kid)]
  const good = forge.token(subject)
  const [head = '', , signature = ''] = good.split('.')
  const header = { alg: 'RS256', kid: key.kid }
  const otherSubject = base64url(forge.claims({ sub: 'repo:team/app:other' }))
  return {
    'alg none': `${body({ alg: 'none', kid: key.kid })}.`,
    'HS256 with the public key as secret': `${hmac}.${createHmac('sha256', secret).update(hmac).digest('base64url')}`,
    'a wrong key under a known kid': evil.token(header, claims),
    'a key of another kind under a known kid': curve.token({ alg: 'ES256', kid: key.kid }, claims),
    'a key in the header': evil.token({ ...header, jwk: evil.bareJwk }, claims),
    'a jku': evil.token({ ...header, jku: `${url}/jwks` }, claims),
    'an x5u': evil.token({ ...header, x5u: 'https://evil.example/cert' }, claims),
    'an unknown kid': forge.token(subject, { kid: 'unknown' }),
    'no kid': forge.token(subject, { kid: undefined }),
    'an empty kid': forge.token(subject, { kid: '' }),
    'a kid that is a list': forge.token(subject, { kid: [key.kid] }),
    'no alg': forge.token(subject, { alg: undefined }),
    'another alg of the same key': forge.token(subject, { alg: 'PS256' }),
    'a crit that nobody knows': forge.token(subject, { crit: ['typ'] }),
    'an unencoded payload': forge.token(subject, { crit: ['b64'], b64: false }),
    'a changed subject': `${head}.${otherSubject}.${signature}`,
    'a token in a token': key.token({ ...header, cty: 'JWT' }, good),
    'a token of five parts': `${good}.a.b`,
    'no JWT': 'token',
    'a token of 12 kilobytes and more': forge.token({ ...subject, pad: 'x'.repeat(12_288) }),
    'an assertion of the service account': assertionOf(robot, { sub: 'repo:team/app:main' }),
  }
}

async function wrongIssuers({ audience, forge, sibling }: MachineAuthority): Promise<Record<string, string>> {
  const stranger = await startLocalIssuer({ audience, algorithm: 'RS256' })
  stranger.serves = ['/.well-known/openid-configuration']
  await stranger.stop()
  return {
    'an unknown issuer': stranger.token(subject),
    'an unknown issuer with the name of a known one': stranger.token({ ...subject, iss: forge.issuer }),
    'the sibling issuer with this audience': sibling.token({ sub: subject.sub, aud: audience }),
    'the sibling issuer with the name of this one': sibling.token({
      ...subject,
      iss: forge.issuer,
      aud: audience,
    }),
    'an issuer with a slash behind': forge.token({ ...subject, iss: `${forge.issuer}/` }),
    'an issuer with a path behind': forge.token({ ...subject, iss: `${forge.issuer}/evil` }),
    'no issuer': forge.token({ ...subject, iss: undefined }),
    'an issuer that is a list': forge.token({ ...subject, iss: [forge.issuer] }),
  }
}

function wrongClaims(forge: LocalIssuer): Record<string, string> {
  const { aud } = forge.claims()
  const changes: Readonly<Record<string, Claims>> = {
    expired: { exp: seconds(-120) },
    'from the future': { iat: seconds(120) },
    'more than a day old': { iat: seconds(-86_600) },
    'an nbf to come': { nbf: seconds(120) },
    'no exp': { exp: undefined },
    'no iat': { iat: undefined },
    'an exp that is a text': { exp: '9999999999' },
    'no aud': { aud: undefined },
    'an aud of another': { aud: 'https://other.example' },
    'an aud that only begins well': { aud: `${String(aud)}-evil` },
    'an aud that is cut': { aud: String(aud).slice(0, -1) },
    'an aud with http:': { aud: `http:${String(aud)}` },
    'an aud that is an object': { aud: { name: aud } },
  }
  return issuedWith(forge, changes)
}

function wrongSubjects(forge: LocalIssuer): Record<string, string> {
  const subjects: Readonly<Record<string, unknown>> = {
    'a subject without a binding': 'repo:team/other:main',
    'a subject that lacks the end of its beginning': 'repo:team/app',
    'a subject that only begins like a binding': 'repo:team/app-evil:main',
    'a subject with a blank in front': ' repo:team/app:main',
    'a subject in capitals': 'REPO:TEAM/APP:main',
    'a subject that is the star': '*',
    'a binding to an account that is not there': 'repo:team/gone',
    'a binding to an account that is not there yet': 'repo:team/off',
    'a subject that is empty': '',
    'a subject that is a list': ['repo:team/app:main'],
    'a subject that is a number': 7,
    'no subject': undefined,
    'the subject of the sibling': 'job',
  }
  return issuedWith(
    forge,
    Object.fromEntries(Object.entries(subjects).map(([title, sub]) => [title, { sub }])),
  )
}

function issuedWith(forge: LocalIssuer, changes: Readonly<Record<string, Claims>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(changes).map(([title, change]) => [title, forge.token({ ...subject, ...change })]),
  )
}

function wrongForms({ audience, forge }: MachineAuthority): readonly HostileForm[] {
  const good = exchangeFields(audience, forge.token(subject))
  const pairs = Object.entries(good)
  const without = (name: string): HostileForm => [`no ${name}`, pairs.filter(([given]) => given !== name)]
  const type = 'urn:ietf:params:oauth:token-type'
  return [
    ...['grant_type', 'audience', 'subject_token', 'subject_token_type', 'scope'].map(without),
    ...pairs.map(([name, value]): HostileForm => [`two of ${name}`, [...pairs, [name, value]]]),
    ['another grant', { ...good, grant_type: 'client_credentials' }],
    ['the grant of an assertion', { ...good, grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer' }],
    ['an access token as subject', { ...good, subject_token_type: `${type}:access_token` }],
    ['a SAML assertion as subject', { ...good, subject_token_type: `${type}:saml2` }],
    ['a wish for a refresh token', { ...good, requested_token_type: `${type}:refresh_token` }],
    ['an actor', { ...good, actor_token: good.subject_token ?? '', actor_token_type: `${type}:jwt` }],
    ['a scope beyond the account', { ...good, scope: 'notes:admin' }],
    ['a scope beyond the account among others', { ...good, scope: 'notes:read notes:admin' }],
    ['a resource elsewhere', { ...good, resource: 'https://evil.example/mcp' }],
  ]
}

function wrongAudiences({
  audience,
  siblingAudience,
  forge,
  sibling,
}: MachineAuthority): readonly HostileForm[] {
  const named = (title: string, name: string): HostileForm => [
    title,
    exchangeFields(name, forge.token({ ...subject, aud: name })),
  ]
  return [
    named('an audience that nobody has', '//iam.postern.example/other'),
    named('an audience that only begins well', `${audience}-evil`),
    named('an audience that is cut', audience.slice(0, -1)),
    named('an audience with a slash behind', `${audience}/`),
    named('an audience with http:', `http:${audience}`),
    named('an audience with https: twice', `https:https:${audience}`),
    named('an audience in capitals', audience.toUpperCase()),
    named('an audience with dots', audience.replace('/forge', '/x/../forge')),
    named('an audience with a zero byte', `${audience}\u0000`),
    ['the audience of the sibling', exchangeFields(siblingAudience, forge.token(subject))],
    [
      'the audience of the sibling in both',
      exchangeFields(siblingAudience, forge.token({ ...subject, aud: siblingAudience })),
    ],
    ['a token of the sibling for its own audience', exchangeFields(audience, sibling.token({ sub: 'job' }))],
  ]
}
