/** What a property of some name is taken for. */
export type NameKind = 'secret' | 'body' | 'headers' | 'plain'

/** Most names come again and again; the bound is there because some are chosen by callers. */
const remembered = new Map<string, NameKind>()
const maxRemembered = 2000

/** Written with any separators and in any case: `x-goog-api-key`, `accessToken`, `CLIENT_SECRET`, `rawHeaders`, … */
export function nameKind(name: string): NameKind {
  const known = remembered.get(name)
  if (known !== undefined) return known
  const kind = kindOf(name.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, ''))
  if (remembered.size < maxRemembered && name.length <= 64) remembered.set(name, kind)
  return kind
}

/** `maxOutputTokens: 100` counts tokens and is none. */
export function isTokenCount(name: string, value: unknown): boolean {
  return typeof value === 'number' && /tokens$/i.test(name)
}

const anywhere =
  /password|passwd|passphrase|secret|apikey|privatekey|credential|authorization|cookie|bearer|assertion|codeverifier|accesstoken|refreshtoken|idtoken|pagetoken|signature|dpop|jwt/

/** `tokenType`, `keyId` and `cursorStyle` are harmless. */
const atTheEnd = /(?:tokens?|keys?|cursors?|pwd|otp|authcode|devicecode|usercode)$/

/** `statusCode` and `shipping` are harmless. */
const whole: ReadonlySet<string> = new Set(['code', 'pass', 'pin', 'auth'])

/** What a caller sent or was answered is not ours to log. */
const bodies: ReadonlySet<string> = new Set([
  'body',
  'rawbody',
  'requestbody',
  'responsebody',
  'payload',
  'query',
  'querystring',
])

function kindOf(plainName: string): NameKind {
  if (plainName.endsWith('headers')) return 'headers'
  if (bodies.has(plainName)) return 'body'
  return whole.has(plainName) || atTheEnd.test(plainName) || anywhere.test(plainName) ? 'secret' : 'plain'
}
