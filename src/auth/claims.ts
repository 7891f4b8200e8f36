import type { Config } from '../config/config-schema.ts'
import { displayName } from './display-name.ts'
import type { Principal } from './principal.ts'
import { expiry, refusal } from './refusal.ts'
import { canonicalResource } from './resource-identifier.ts'
import { isJsonObject, type JsonObject, member } from './strict-json.ts'

export type IssuerConfig = Config['issuers'][number]

export interface ClaimRules {
  readonly issuer: IssuerConfig
  /** In its canonical spelling. */
  readonly resource: string
  /** Milliseconds since 1970. */
  readonly now: number
}

/** Whom the claims describe, if they are for us and for now; a JWT and an introspection answer are read alike. */
export function readClaims(claims: JsonObject, rules: ClaimRules): Omit<Principal, 'credential'> {
  checkAudience(member(claims, 'aud'), rules.resource)
  const expiresAt = checkTimes(claims, rules)
  const clientId = textClaim(claims, 'client_id') ?? textClaim(claims, 'azp')
  const subject = textClaim(claims, 'sub') ?? textClaim(claims, 'client_id')
  if (subject === undefined) throw refusal('the access token names neither a subject nor a client')
  const name = displayName(member(claims, 'preferred_username'))
  return {
    issuer: rules.issuer.issuer,
    subject,
    ...(name === undefined ? {} : { name }),
    clientId,
    scopes: readScopes(member(claims, rules.issuer.scopeClaim)),
    expiresAt,
    dpopKeyThumbprint: readConfirmation(claims),
  }
}

function checkAudience(audience: unknown, resource: string): void {
  const list: readonly unknown[] = Array.isArray(audience) ? audience : [audience]
  const isText = list.every((one) => typeof one === 'string')
  if (isText && list.some((one) => typeof one === 'string' && canonicalResource(one) === resource)) return
  throw refusal('the access token is for another audience; ask for one with this resource')
}

function checkTimes(claims: JsonObject, { issuer, now }: ClaimRules): number {
  const seconds = now / 1000
  const skew = issuer.clockSkewSeconds
  const [exp, nbf, iat] = ['exp', 'nbf', 'iat'].map((name) => timeClaim(claims, name))
  if (exp === undefined) throw refusal('the access token does not say when it expires')
  if (exp + skew <= seconds) throw expiry('the access token has expired')
  if (nbf !== undefined && nbf - skew > seconds) throw refusal('the access token is not valid yet')
  if (iat !== undefined && iat - skew > seconds) throw refusal('the access token was issued in the future')
  return exp
}

function timeClaim(claims: JsonObject, name: string): number | undefined {
  const value = member(claims, name)
  if (value === undefined) return undefined
  if (typeof value !== 'number' || !Number.isFinite(value) || value < 0) throw malformed(name)
  return value
}

function textClaim(claims: JsonObject, name: string): string | undefined {
  const value = member(claims, name)
  if (value === undefined) return undefined
  if (typeof value !== 'string' || value === '') throw malformed(name)
  return value
}

/** A string separated by spaces as RFC 9068 has it, or the array that some issuers send. */
function readScopes(value: unknown): ReadonlySet<string> {
  if (value === undefined) return new Set()
  const list: readonly unknown[] = typeof value === 'string' ? value.split(' ') : [value].flat()
  const scopes = list.filter((scope) => typeof scope === 'string')
  if (scopes.length !== list.length) throw malformed('scope')
  return new Set(scopes.filter((scope) => scope !== ''))
}

/** A token bound in a way that we cannot check is not taken as one that is not bound. */
function readConfirmation(claims: JsonObject): string | undefined {
  const confirmation = member(claims, 'cnf')
  if (confirmation === undefined) return undefined
  const thumbprint = isJsonObject(confirmation) ? member(confirmation, 'jkt') : undefined
  const isAlone = isJsonObject(confirmation) && Object.keys(confirmation).length === 1
  if (isAlone && typeof thumbprint === 'string' && /^[A-Za-z0-9_-]{43}$/.test(thumbprint)) return thumbprint
  throw refusal('the access token is bound to its sender in a way other than DPoP (cnf.jkt)')
}

function malformed(name: string): Error {
  return refusal(`the access token has a malformed "${name}" claim`)
}
