import { type Forgery, type Loot, type Members, ofVictim, usualClaims, usualHeader } from './caller-loot.ts'
import { cloudPlatform, generateUrl, modelResource, publicUrl, signWith } from './caller-setting.ts'

export function wrongNames(loot: Loot): readonly Forgery[] {
  const email = loot.victim.client_email
  const sub = loot.other.client_email
  const names: readonly (readonly [title: string, claims: Members])[] = [
    ['a subject that is another account', { sub }],
    ['an issuer that is another account', { iss: sub }],
    ['both names of another account', { iss: sub, sub }],
    ['no subject', { sub: undefined }],
    ['no issuer', { iss: undefined }],
    ['a subject in capitals', { sub: email.toUpperCase() }],
    ['both names in capitals', { iss: email.toUpperCase(), sub: email.toUpperCase() }],
    ['a list as issuer', { iss: [email], sub: [email] }],
    ['an issuer in Cyrillic', { iss: email.replace('o', '\u043e'), sub: email.replace('o', '\u043e') }],
    ['a full-width @', { iss: email.replace('@', '\uFF20'), sub: email.replace('@', '\uFF20') }],
    ['a zero byte in the name', { iss: `${email}\u0000`, sub: `${email}\u0000` }],
    ['a zero byte before the host', { iss: `\u0000${email}`, sub: `\u0000${email}` }],
    ['half a character in the name', { iss: `\uD800${email}`, sub: `\uD800${email}` }],
    ['a name that is SQL', { iss: "x'or'1'='1@x", sub: "x'or'1'='1@x" }],
    ['a name that is a pattern', { iss: '%@%', sub: '%@%' }],
    ['a name on the prototype', { iss: '__proto__@x', sub: '__proto__@x' }],
    ['a name of thousands of letters', { iss: `${'x'.repeat(4000)}@x`, sub: `${'x'.repeat(4000)}@x` }],
    ['a name with a space behind it', { iss: `${email} `, sub: `${email} ` }],
    ['a number as name', { iss: 5, sub: 5 }],
    ['the account by its number', { iss: loot.victim.client_id, sub: loot.victim.client_id }],
  ]
  return names.map(([title, claims]): Forgery => [title, ofVictim(loot, claims)])
}

export function wrongTimes(loot: Loot): readonly Forgery[] {
  const { now, victim } = loot
  const times: readonly (readonly [title: string, claims: Members])[] = [
    ['expired a minute ago', { iat: now - 3660, exp: now - 60 }],
    ['expired a year ago', { iat: now - 31_540_000, exp: now - 31_536_400 }],
    ['a life of two hours', { exp: now + 7200 }],
    ['a life without end', { exp: 1e300 }],
    ['a life of an hour that begins two minutes ahead', { iat: now + 120, exp: now + 3720 }],
    ['issued long ago, for long', { iat: now - 86_400, exp: now + 3600 }],
    ['an end before the beginning', { iat: now, exp: now - 1 }],
    ['not valid yet', { nbf: now + 300 }],
    ['nbf as a text', { nbf: String(now) }],
    ['no iat', { iat: undefined }],
    ['no exp', { exp: undefined }],
    ['exp as a text', { exp: String(now + 3600) }],
    ['exp as null', { exp: null }],
    ['iat as a list', { iat: [now] }],
    ['times below nothing', { iat: -1, exp: now + 60 }],
  ]
  const text = JSON.stringify({ ...usualClaims(victim, now), exp: 12_345 })
  return [
    ...times.map(([title, claims]): Forgery => [title, ofVictim(loot, claims)]),
    ['an infinite exp', signWith(victim, usualHeader(victim), text.replace('12345', '1e999'))],
    [
      'infinite times',
      signWith(
        victim,
        usualHeader(victim),
        text.replace('12345', '1e999').replace(`"iat":${now}`, '"iat":1e999'),
      ),
    ],
  ]
}

export function wrongScopes(loot: Loot): readonly Forgery[] {
  const scopes: readonly (readonly [title: string, claims: Members])[] = [
    ['an audience and a scope', { aud: `${publicUrl}/` }],
    ['neither audience nor scope', { scope: undefined }],
    ['an empty scope', { scope: '' }],
    ['a scope of spaces', { scope: '   ' }],
    ['scopes as a list', { scope: [cloudPlatform] }],
    ['a scope that is null', { scope: null }],
    ['a scope beyond what the account may', { scope: 'https://www.googleapis.com/auth/bigquery' }],
    ['a scope that only begins right', { scope: `${cloudPlatform}.admin` }],
  ]
  return scopes.map(([title, claims]): Forgery => [title, ofVictim(loot, claims)])
}

export function wrongAudiences(loot: Loot): readonly Forgery[] {
  const audiences: readonly unknown[] = [
    [`${publicUrl}/`],
    [],
    '',
    5,
    null,
    { 0: publicUrl },
    'https://oauth2.googleapis.com/token',
    'https://generativelanguage.googleapis.com/',
    `${publicUrl}/token`,
    `${publicUrl}/mcp`,
    `${publicUrl}/v1beta1`,
    `${publicUrl}.evil.example/`,
    `${publicUrl}@evil.example/`,
    publicUrl.replace('https://', 'https://evil.example@'),
    publicUrl.replace('https://', 'https://x.'),
    publicUrl.replace('https', 'http'),
    `${publicUrl}:8443/`,
    `${publicUrl}//`,
    ` ${publicUrl}/`,
    `${publicUrl}/ `,
    `${publicUrl}/\u0000`,
    publicUrl.replace('gate', 'g\u0430te'),
    '*',
    'gate.example',
    generateUrl.replace('generate', 'stream'),
    generateUrl.replace('tiny', 'large'),
    generateUrl.replace('tiny', 'TINY'),
    generateUrl.replace('/models', '/x/../models'),
    `${generateUrl}?alt=sse`,
    `${generateUrl}#`,
    `${modelResource}/models`,
  ]
  const token = (aud: unknown): string => ofVictim(loot, { scope: undefined, aud })
  return [
    ...audiences.map((aud): Forgery => [`audience ${JSON.stringify(aud)}`, token(aud)]),
    ['the address with another query', token(`${generateUrl}?alt=sse`), { query: '?alt=json' }],
  ]
}

export function wrongShapes(loot: Loot): readonly Forgery[] {
  const { victim, other, now } = loot
  const header = usualHeader(victim)
  const text = JSON.stringify(usualClaims(victim, now))
  const good = ofVictim(loot)
  const [head = '', body = '', signature = ''] = good.split('.')
  const name = other.client_email
  return [
    ['iss twice', signWith(victim, header, text.replace('{', `{"iss":"${name}",`))],
    ['iss twice, once escaped', signWith(victim, header, text.replace('{', `{"\\u0069ss":"${name}",`))],
    ['scope twice', signWith(victim, header, text.replace(/}$/, `,"scope":"${cloudPlatform}"}`))],
    ['alg twice', signWith(victim, `{"alg":"none","alg":"RS256","kid":"${victim.private_key_id}"}`, text)],
    ['claims on the prototype', signWith(victim, header, `{"__proto__":${text}}`)],
    ['claims that are a list', signWith(victim, header, `[${text}]`)],
    ['claims that are null', signWith(victim, header, 'null')],
    ['a byte order mark', signWith(victim, header, `\uFEFF${text}`)],
    ['padding behind the signature', `${good}==`],
    ['padding inside', `${head}=.${body}.${signature}`],
    ['the other alphabet', `${head}.${body}.${signature.slice(0, -2)}+/`],
    ['stray bits at the end', strayBits(good)],
    ['a fourth part', `${good}.${signature}`],
    ['a zero byte behind it', `${good}\u0000`],
    ['a space inside', `${head}. ${body}.${signature}`],
    ['a huge token', ofVictim(loot, { pad: 'x'.repeat(9000) })],
    ['a token inside a token', signWith(victim, header, good)],
    ['only dots', '..'],
    ['the body alone', body],
  ]
}

/** A signature of 256 bytes ends in a letter that has four bits to spare. */
function strayBits(token: string): string {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
  return `${token.slice(0, -1)}${alphabet[alphabet.indexOf(token.slice(-1)) + 1]}`
}
