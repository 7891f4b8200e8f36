import type { IncomingHttpHeaders } from 'node:http'
import { Failure } from '../failure/failure.ts'
import { refusal } from './refusal.ts'

/** Where the credentials of a request can be. */
export interface CredentialPlaces {
  readonly headers: IncomingHttpHeaders
  readonly rawHeaders: readonly string[]
  readonly query: string
}

export interface Credential {
  readonly scheme: 'bearer' | 'dpop'
  readonly token: string
}

/** The one credential of a request. Node drops a second Authorization header, so the raw ones are counted. */
export function readCredential(request: CredentialPlaces): Credential {
  const { rawHeaders, query } = request
  let count = 0
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]
    if (name !== undefined && isCredentialName(name)) count += 1
  }
  if (query.length > 1 && hasTokenParameter(query)) {
    throw invalidRequest('a token must not be in the URL; send it in the Authorization header')
  }
  if (count > 1) throw invalidRequest('a request carries one credential, and this one has more')
  const header = request.headers.authorization
  if (header === undefined) throw missingToken()
  return parseAuthorization(header)
}

/** A longer token is refused unread. */
const longestToken = 8192

function isCredentialName(name: string): boolean {
  if (name.length === 13) return name.toLowerCase() === 'authorization'
  return name.length >= 9 && (name.charCodeAt(name.length - 1) | 0x20) === lastOfKey && apiKeyName.test(name)
}

/** A look at one letter spares most names the expression. */
const lastOfKey = 'y'.charCodeAt(0)
const apiKeyName = /^x-(?:[a-z0-9-]{1,64}-)?api-key$/i

function hasTokenParameter(query: string): boolean {
  for (const name of new URLSearchParams(query).keys()) {
    if (name.toLowerCase() === 'access_token') return true
  }
  return false
}

function parseAuthorization(header: string): Credential {
  const space = header.indexOf(' ')
  const word = space === -1 ? header : header.slice(0, space)
  const scheme = word === 'Bearer' ? 'bearer' : word.toLowerCase()
  if (scheme !== 'bearer' && scheme !== 'dpop') throw missingToken()
  const token = space === -1 ? '' : withoutLeadingSpaces(header, space)
  if (token === '') throw refusal('the Authorization header has a scheme but no token')
  if (token.length > longestToken) throw refusal(`the access token is longer than ${longestToken} characters`)
  if (token.includes(',')) throw invalidRequest('a request carries one credential, and this one has more')
  return { scheme, token }
}

/** Spaces only (RFC 9110, section 11.4): `trimStart` would take a tab or a no-break space as well. */
function withoutLeadingSpaces(header: string, from: number): string {
  let start = from
  while (header[start] === ' ') start += 1
  return header.slice(start)
}

/** A scheme that is not ours counts as no token at all (RFC 6750, section 3.1), so the challenge names no error. */
function missingToken(): Failure {
  return new Failure('unauthenticated', 'an access token is needed: send "Authorization: Bearer …"', {
    reason: 'missing_token',
  })
}

function invalidRequest(message: string): Failure {
  return new Failure('unauthenticated', message, { reason: 'invalid_request' })
}
