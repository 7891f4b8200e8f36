import { bearer, callWith } from './call.ts'
import type { HostileCall, HostileSource } from './hostile-call.ts'
import { base64url } from './local-key.ts'

export function shapeCalls({ issuer }: HostileSource): readonly HostileCall[] {
  const key = issuer.key()
  const header = { alg: key.algorithm, kid: key.kid, typ: 'at+jwt' }
  const good = issuer.token()
  const [head = '', body = '', signature = ''] = good.split('.')
  const text = JSON.stringify(issuer.claims())
  const flipped = `${good.slice(0, -1)}${nextLetter(good.slice(-1))}`
  const raw: readonly (readonly [title: string, token: string])[] = [
    ['aud twice, ours last', key.token(header, text.replace('{', '{"aud":"https://other.example",'))],
    ['aud twice, ours first', key.token(header, text.replace(/}$/, ',"aud":"https://other.example"}'))],
    ['exp twice', key.token(header, text.replace('{', '{"exp":1,'))],
    ['iss twice, once escaped', key.token(header, text.replace('{', '{"\\u0069ss":"https://evil.example",'))],
    ['alg twice', key.token(`{"alg":"none","alg":"ES256","kid":"${key.kid}"}`, text)],
    ['a repeated member deep inside', key.token(header, text.replace('{', '{"x":{"y":[{"z":1,"z":2}]},'))],
    ['a byte order mark', key.token(header, `\uFEFF${text}`)],
    ['text behind the claims', key.token(header, `${text}x`)],
    ['claims that are an array', key.token(header, `[${text}]`)],
    ['claims that are a text', key.token(header, JSON.stringify(text))],
    ['claims that are null', key.token(header, 'null')],
    ['no claims', key.token(header, '')],
    ['an empty object', key.token(header, '{}')],
    ['a token inside a token', key.token({ ...header, cty: 'JWT' }, good)],
    ['a token inside a token, not announced', key.token(header, good)],
    ['claims on the prototype', key.token(header, `{"__proto__":${text}}`)],
    ['very deep claims', key.token(header, `{"x":${'['.repeat(2500)}${']'.repeat(2500)}}`)],
    ['a header that is an array', key.token('[]', text)],
    ['an encrypted token', `${base64url({ alg: 'dir', enc: 'A256GCM' })}..AAAA.AAAA.AAAA`],
    [
      'an encrypted token with a good token inside',
      `${base64url({ alg: 'dir', enc: 'A256GCM' })}..AAAA.${base64url(good)}.AAAA`,
    ],
    ['a JSON serialisation', JSON.stringify({ payload: body, protected: head, signature })],
    ['the last letter changed', flipped],
    ['padding behind the signature', `${good}=`],
    ['more padding behind the signature', `${good}==`],
    ['padding inside', `${head}=.${body}.${signature}`],
    ['a fourth part', `${good}.${signature}`],
    ['an empty fourth part', `${good}.`],
    ['a leading dot', `.${good}`],
    ['no signature', `${head}.${body}`],
    ['an empty signature', `${head}.${body}.`],
    ['an empty header', `.${body}.${signature}`],
    ['an empty body', `${head}..${signature}`],
    ['only dots', '..'],
    ['many dots', '.'.repeat(8000)],
    ['a signature of zeros', `${head}.${body}.${'A'.repeat(86)}`],
    ['a signature in DER', `${head}.${body}.${base64url('0E\u0002 aaaa\u0002!bbbb')}`],
    ['parts of two tokens', `${head}.${issuer.token({ sub: 'root' }).split('.')[1]}.${signature}`],
    ['the body alone', body],
    ['every second letter', good.replace(/(.)./gs, '$1')],
    ['a huge token', `${head}.${body}.${'A'.repeat(9000)}`],
    ['a good token, but too long', issuer.token({ pad: 'x'.repeat(9000) })],
    ['a line break inside', `${head}.\n${body}.${signature}`],
    ['a space inside', `${head}. ${body}.${signature}`],
    ['a space at the end', `${good} `],
    ['a tab at the end', `${good}\t`],
    ['a no-break space at the end', `${good}\u00a0`],
    ['a zero byte at the end', `${good}\u0000`],
    ['a zero-width space inside', `${head}.\u200b${body}.${signature}`],
    ['full-width dots', good.replaceAll('.', '\uFF0E')],
    ['a Cyrillic letter', good.replace('e', '\u0435')],
    ['a lone surrogate', `${good}\uD800`],
    ['the other alphabet', `${head}.${body}.${'+/'.repeat(43)}`],
    ['percent-encoded dots', good.replaceAll('.', '%2E')],
    ['quotes around it', `"${good}"`],
    ['angle brackets around it', `<${good}>`],
    ['Bearer twice', `Bearer ${good}`],
    ['a semicolon behind it', `${good};`],
    ['an opaque text', 'opaque'],
    ['the word undefined', 'undefined'],
  ]
  const cut = [1, 2, 10, 40, 86, 87, 88, 200].map(
    (length): HostileCall => [`${length} letters less`, bearer(good.slice(0, -length))],
  )
  return [...raw.map(([title, token]): HostileCall => [title, bearer(token)]), ...cut]
}

export function transportCalls({ issuer }: HostileSource): readonly HostileCall[] {
  const token = issuer.token()
  const authorization = ['Authorization', `Bearer ${token}`] as const
  return [
    ['two Authorization headers with the same token', callWith(authorization, authorization)],
    ['two Authorization headers, the first one good', callWith(authorization, ['authorization', 'Bearer x'])],
    [
      'two Authorization headers, the last one good',
      callWith(['AUTHORIZATION', 'Basic YTpi'], authorization),
    ],
    ['three Authorization headers', callWith(authorization, authorization, authorization)],
    ['two tokens in one header', callWith(['Authorization', `Bearer ${token}, Bearer ${token}`])],
    ['an API key beside it', callWith(authorization, ['x-goog-api-key', 'k'])],
    ['a token in the query only', { ...callWith(), query: `access_token=${token}` }],
    ['a token in query and header', { ...callWith(authorization), query: `?access_token=${token}` }],
    ['a good token as Basic', callWith(['Authorization', `Basic ${token}`])],
    ['a good token as MAC', callWith(['Authorization', `MAC ${token}`])],
    ['a good token without a scheme', callWith(['Authorization', token])],
    ['a good token with a colon', callWith(['Authorization', `Bearer: ${token}`])],
    ['a good token with an equals sign', callWith(['Authorization', `Bearer=${token}`])],
    ['a good token behind a tab', callWith(['Authorization', `Bearer\t${token}`])],
    ['a good token behind a space and a tab', callWith(['Authorization', `Bearer \t${token}`])],
    ['a good token behind a no-break space', callWith(['Authorization', `Bearer \u00a0${token}`])],
    ['a good token behind a byte order mark', callWith(['Authorization', `Bearer \uFEFF${token}`])],
    ['a good token as DPoP without being bound', callWith(['Authorization', `DPoP ${token}`])],
    ['a good token in another header', callWith(['X-Authorization', `Bearer ${token}`])],
    ['a good token in Proxy-Authorization', callWith(['Proxy-Authorization', `Bearer ${token}`])],
    ['a good token in a cookie', callWith(['Cookie', `access_token=${token}`])],
    ['nothing', callWith()],
  ]
}

/** Another letter that differs only in the bits that are not used: the bytes stay the same. */
function nextLetter(letter: string): string {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
  return alphabet[alphabet.indexOf(letter) + 1] ?? 'A'
}
