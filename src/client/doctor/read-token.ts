import { isJsonObject, type JsonObject } from '../wire-reader.ts'
import type { Signed } from './signature.ts'

/** A signed token (JWT), read but not believed. */
export interface ReadToken extends Signed {
  readonly kid: string | undefined
  readonly claims: JsonObject
}

/** Nothing where the token is no JWT: then only its issuer can say what it means. */
export function readToken(token: string): ReadToken | undefined {
  const parts = token.split('.')
  const [head = '', body = '', tail = ''] = parts
  const [header, claims] = [jsonOf(head), jsonOf(body)]
  const signature = bytesOf(tail)
  if (parts.length !== 3 || header === undefined || claims === undefined || signature === undefined)
    return undefined
  const { alg, kid } = header
  return {
    algorithm: typeof alg === 'string' ? alg : '',
    kid: typeof kid === 'string' ? kid : undefined,
    claims,
    content: `${head}.${body}`,
    signature,
  }
}

/** What the token allows, and the claim that says so: issuers do not agree on its name. */
export function scopesOf(claims: JsonObject): { readonly claim: string; readonly scopes: readonly string[] } {
  for (const claim of ['scope', 'scp', 'scopes']) {
    const value: unknown = claims[claim]
    const words = Array.isArray(value) ? value : typeof value === 'string' ? value.split(' ') : []
    const scopes = words.filter((word) => typeof word === 'string').filter((word) => word !== '')
    if (scopes.length > 0) return { claim, scopes }
  }
  return { claim: 'scope', scopes: [] }
}

export function audiencesOf({ aud }: JsonObject): readonly string[] {
  return (Array.isArray(aud) ? aud : [aud]).filter((one) => typeof one === 'string')
}

function jsonOf(part: string): JsonObject | undefined {
  const bytes = bytesOf(part)
  try {
    const value: unknown = bytes === undefined ? undefined : JSON.parse(new TextDecoder().decode(bytes))
    return isJsonObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

function bytesOf(part: string): Uint8Array<ArrayBuffer> | undefined {
  if (!/^[\w-]*$/.test(part)) return undefined
  try {
    const binary = atob(part.replaceAll('-', '+').replaceAll('_', '/'))
    return Uint8Array.from(binary, (character) => character.charCodeAt(0))
  } catch {
    return undefined
  }
}
