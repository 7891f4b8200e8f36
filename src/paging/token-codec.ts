import { Failure } from '../failure/failure.ts'
import { currentVersion, readContent, type TokenContent, writeContent } from './token-content.ts'
import { headLength, type Protection, protect, protections, unprotect } from './token-envelope.ts'
import { deriveTokenKeys, type TokenKey } from './token-keys.ts'

export interface TokenCodecOptions {
  /** At least one, 32 characters or more; the first mints, the others still verify. */
  readonly secrets: readonly string[]
  /** How long a token can be used; 0 is for ever. Three days unless told otherwise. */
  readonly ttlSeconds?: number
  /** `sealed` hides the position as well (AES-256-GCM); `signed` only makes it unforgeable (HMAC-SHA256). */
  readonly protection?: Protection
  /** Milliseconds since 1970. */
  readonly now?: () => number
}

type OpenedToken =
  | { readonly content: TokenContent }
  | { readonly refused: 'invalid_cursor' | 'cursor_expired' }

/** Mints and opens opaque tokens. Nothing in a token becomes SQL text, and none is worth anything without its list. */
export interface TokenCodec {
  readonly mint: (content: Omit<TokenContent, 'expires'>, audience: string) => string
  readonly open: (token: string, audience: string) => OpenedToken
}

const longest = 2048
const threeDays = 72 * 3600
const sixHours = 6 * 3600
/** A token has four bytes for the second in which it expires. */
const longestTtl = 10 * 365 * 24 * 3600
const invalid = { refused: 'invalid_cursor' } as const
const expired = { refused: 'cursor_expired' } as const

export function createTokenCodec(options: TokenCodecOptions): TokenCodec {
  const keys = deriveTokenKeys(options.secrets)
  const now = options.now ?? Date.now
  const expiry = expiryAfter(options.ttlSeconds ?? threeDays)
  const protection = options.protection ?? 'signed'
  const head = Buffer.of(currentVersion, keys[0].id, protections[protection])
  return {
    mint: (content, audience) => {
      const expires = expiry(Math.floor(now() / 1000))
      const bytes = protect(
        protection,
        { head, key: keys[0], audience },
        writeContent({ ...content, expires }),
      )
      return withinLength(bytes.toString('base64url'))
    },
    open: (token, audience) => {
      const bytes = canonicalBytes(token)
      if (bytes === undefined) return invalid
      const content = provenContent(bytes, keys, audience)
      if (content === undefined) return invalid
      return unexpired(readContent(bytes.readUInt8(), content), Math.floor(now() / 1000))
    },
  }
}

/** Rounded up to a step of the lifetime: the same page renders the same bytes for a while, so caches keep working. */
function expiryAfter(ttlSeconds: number): (nowSeconds: number) => number {
  if (!Number.isInteger(ttlSeconds) || ttlSeconds < 0 || ttlSeconds > longestTtl)
    throw new Failure(
      'misconfigured',
      `the lifetime of page tokens must be a whole number of seconds up to ${longestTtl}, 0 for ever`,
    )
  if (ttlSeconds === 0) return () => 0
  const step = Math.max(1, Math.min(sixHours, Math.floor(ttlSeconds / 12)))
  return (nowSeconds) => Math.ceil((nowSeconds + ttlSeconds) / step) * step
}

function withinLength(token: string): string {
  if (token.length > longest)
    throw new Failure('internal', `a sort key's value is too long for a page token of ${longest} characters`)
  return token
}

/** Node's decoder forgives padding, other alphabets and stray bits; only the one spelling we mint is a token. */
function canonicalBytes(token: string): Buffer | undefined {
  if (typeof token !== 'string' || token.length > longest || !/^[A-Za-z0-9_-]+$/.test(token)) return undefined
  const bytes = Buffer.from(token, 'base64url')
  return bytes.length > headLength && bytes.toString('base64url') === token ? bytes : undefined
}

function provenContent(bytes: Buffer, keys: readonly TokenKey[], audience: string): Buffer | undefined {
  const head = bytes.subarray(0, headLength)
  const protection = bytes[2] === protections.sealed ? 'sealed' : 'signed'
  if (bytes[2] !== protections[protection]) return undefined
  for (const key of keys) {
    if (key.id !== bytes[1]) continue
    const content = unprotect(protection, { head, key, audience }, bytes.subarray(headLength))
    if (content !== undefined) return content
  }
  return undefined
}

function unexpired(content: TokenContent | 'retired' | undefined, nowSeconds: number): OpenedToken {
  if (content === undefined) return invalid
  if (content === 'retired') return expired
  return content.expires !== 0 && content.expires <= nowSeconds ? expired : { content }
}
