import { Failure } from '../failure/failure.ts'
import { type JsonObject, member } from './strict-json.ts'

export interface SelfSignedClaims {
  readonly email: string
  /** What the token asks for; undefined when it names an audience in their place. */
  readonly scopes: readonly string[] | undefined
  readonly audience: string | undefined
  /** Seconds since 1970. */
  readonly expiresAt: number
}

/** No issuer identifier is one: those are URLs. Accounts have ASCII names; databases choke on other things than those. */
export function isAccountEmail(text: unknown): text is string {
  return typeof text === 'string' && /^[!-.0-?A-~]{1,64}@[!-.0-?A-~]{1,320}$/.test(text)
}

/** The claims of AIP-4111; `now` in milliseconds since 1970. */
export function readSelfSignedClaims(claims: JsonObject, now: number): SelfSignedClaims {
  const [iss, sub, aud, scope] = ['iss', 'sub', 'aud', 'scope'].map((name) => member(claims, name))
  if (!isAccountEmail(iss) || iss !== sub)
    throw badSelfSigned('"iss" and "sub" must both be the e-mail of the account')
  if ((aud === undefined) === (scope === undefined))
    throw badSelfSigned('it must have either "aud" or "scope"')
  if (aud !== undefined && (typeof aud !== 'string' || aud === ''))
    throw badSelfSigned('"aud" must be one text')
  if (scope !== undefined && typeof scope !== 'string') throw badSelfSigned('"scope" must be one text')
  const scopes = scope?.split(' ').filter((word) => word !== '')
  if (scopes?.length === 0) throw badSelfSigned('"scope" must name a scope')
  return { email: iss, scopes, audience: aud, expiresAt: readTimes(claims, now / 1000) }
}

export function badSelfSigned(why: string, cause?: unknown): Failure {
  return new Failure('unauthenticated', `the token of the service account is not accepted: ${why}`, {
    reason: 'jwt_invalid',
    cause,
  })
}

const longestLifeSeconds = 3600
const skewSeconds = 60

function readTimes(claims: JsonObject, now: number): number {
  const [iat, exp, nbf] = ['iat', 'exp', 'nbf'].map((name) => member(claims, name))
  if (!isTime(iat) || !isTime(exp) || (nbf !== undefined && !isTime(nbf)))
    throw badSelfSigned('"iat" and "exp" must be numbers')
  if (exp <= now - skewSeconds || exp <= iat) throw badSelfSigned('it has expired')
  if (Math.max(iat, nbf ?? 0) > now + skewSeconds) throw badSelfSigned('it is of the future')
  if (exp - iat > longestLifeSeconds + skewSeconds) throw badSelfSigned('it lives longer than an hour')
  return exp
}

function isTime(value: unknown): value is number {
  return typeof value === 'number'
}
