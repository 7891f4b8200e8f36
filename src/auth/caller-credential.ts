import { Failure } from '../failure/failure.ts'
import type { CredentialPlaces } from './credential.ts'

/** What a caller of the model API shows: a key, or the value of its Authorization header. */
export type CallerCredential =
  | { readonly kind: 'key'; readonly key: string; readonly isInQuery: boolean }
  | {
      readonly kind: 'token'
      readonly text: string
      readonly scheme: 'bearer' | 'dpop'
      readonly header: string
    }

export interface CredentialRules {
  /** In lower case: `x-goog-api-key`. */
  readonly keyHeader: string
  readonly keyInQuery: boolean
}

/** Exactly one method: the same credential in two places is one, two different ones are refused. */
export function readCallerCredential(places: CredentialPlaces, rules: CredentialRules): CallerCredential {
  const { rawHeaders, query } = places
  const { keyHeader } = rules
  let key: string | undefined
  let header: string | undefined
  // Node joins or drops repeated headers, so the raw ones are read.
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? ''
    if (isNamed(name, keyHeader)) key = one(key, rawHeaders[index + 1])
    else if (isNamed(name, 'authorization')) header = one(header, rawHeaders[index + 1])
  }
  const inQuery = mayHoldCredential(query) ? keyOfQuery(query, rules) : undefined
  key = one(key, inQuery)
  if (key === undefined) return tokenCredential(header)
  // The Gemini CLI can send its key in both headers.
  if (header !== undefined && !isBearerOf(header, key)) throw several()
  if (key.length > longestCredential) throw badKey('API key not valid')
  return { kind: 'key', key, isInQuery: inQuery !== undefined }
}

/** A longer credential is refused unread. */
const longestCredential = 8192

function isNamed(name: string, wanted: string): boolean {
  return name.length === wanted.length && name.toLowerCase() === wanted
}

/** An empty value is no credential. */
function one(seen: string | undefined, value = ''): string | undefined {
  if (value === '' || value === seen) return seen
  if (seen !== undefined) throw several()
  return value
}

/** Spares `?alt=sse` the parsing; in a name that is spelled another way there is a `%`. */
function mayHoldCredential(query: string): boolean {
  return query.length > 1 && /key|token|%/i.test(query)
}

function keyOfQuery(query: string, { keyInQuery, keyHeader }: CredentialRules): string | undefined {
  let key: string | undefined
  for (const [name, value] of new URLSearchParams(query)) {
    if (tokenParameters.has(name.toLowerCase()))
      throw badToken('a token must not be in the URL; send it in the Authorization header')
    if (name === 'key') key = one(key, value)
  }
  if (key !== undefined && !keyInQuery)
    throw badKey(`an API key must not be in the URL; send it as ${keyHeader}`)
  return key
}

const tokenParameters: ReadonlySet<string> = new Set(['access_token', 'oauth_token'])

function isBearerOf(header: string, key: string): boolean {
  const { scheme, text } = parseAuthorization(header)
  return scheme === 'bearer' && text === key
}

function tokenCredential(header: string | undefined): CallerCredential {
  if (header === undefined) throw nobody()
  const { scheme, text } = parseAuthorization(header)
  if (scheme !== 'bearer' && scheme !== 'dpop')
    throw new Failure('unauthenticated', 'the Authorization header must be "Bearer" and an access token', {
      reason: 'token_type_unsupported',
    })
  if (text === '' || text.length > longestCredential) throw badToken('the access token is malformed')
  // Some proxies join repeated headers.
  if (text.includes(',')) throw several()
  return { kind: 'token', text, scheme, header }
}

function parseAuthorization(header: string): { readonly scheme: string; readonly text: string } {
  const space = header.indexOf(' ')
  if (space === -1) return { scheme: header.toLowerCase(), text: '' }
  let start = space
  while (header[start] === ' ') start += 1
  return { scheme: header.slice(0, space).toLowerCase(), text: header.slice(start) }
}

function nobody(): Failure {
  return new Failure(
    'unauthenticated',
    'this method needs an identity: send an API key, an access token or the token of a service account',
    { reason: 'no_credential' },
  )
}

function several(): Failure {
  return new Failure('invalid-request', 'a request carries one credential, and this one has more', {
    reason: 'multiple_credentials',
  })
}

function badKey(message: string): Failure {
  return new Failure('unauthenticated', message, { reason: 'api_key_invalid' })
}

function badToken(message: string): Failure {
  return new Failure('unauthenticated', message, { reason: 'token_invalid' })
}
