import { type SecretWord, secretWords } from './secret-words.ts'

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

const isSecret = new RegExp(
  [plain('anywhere'), `(?:${plain('end')})(?:s|values?)?$`, `^(?:${plain('whole')})$`].join('|'),
)

function plain(place: SecretWord['inName']): string {
  const rows = secretWords.filter(({ inName }) => inName === place)
  return rows.map(({ words }) => words.replaceAll(' ', '')).join('|')
}

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
  return isSecret.test(plainName) ? 'secret' : 'plain'
}
