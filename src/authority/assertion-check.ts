import { decodeJwt, decodeProtectedHeader, errors, type JWTPayload, jwtVerify } from 'jose'
import type { Clock } from '../store/clock.ts'
import type { ValidKey } from '../store/service-account-lookup.ts'
import type { ServiceAccounts } from '../store/service-accounts.ts'
import type { ServiceAccount } from '../store/tables-service-accounts.ts'
import { refusal } from './machine-answer.ts'

/** An assertion of RFC 7523 that a service account has signed. */
export interface CheckedAssertion {
  readonly account: ServiceAccount
  /** The key that signed it. */
  readonly kid: string
  readonly scope: string | undefined
  readonly jti: string | undefined
  /** Seconds since 1970; from then on it is refused for its age. */
  readonly refusedFrom: number
}

export interface AssertionRules {
  readonly accounts: ServiceAccounts
  /** Who it may be meant for: this server under any of its names. */
  readonly audiences: readonly string[]
  readonly now: Clock
}

export async function checkAssertion(assertion: string, rules: AssertionRules): Promise<CheckedAssertion> {
  const { kid, issuer } = readAssertion(assertion)
  const account = await rules.accounts.findByEmail(issuer)
  if (account === undefined || account.disabled_at !== null) throw notSigned()
  const keys = await rules.accounts.validKeys(account.id)
  const fitting = kid === undefined ? keys : keys.filter((key) => key.kid === kid)
  const { key, claims } = await verifyWithAny(assertion, fitting, rules)
  checkLifetime(claims)
  if (claims.sub !== undefined && claims.sub !== account.email) {
    const wrong = 'a service account can not act for another subject: leave sub out, or set it to iss'
    throw refusal('unauthorized_client', wrong)
  }
  return {
    account,
    kid: key.kid,
    scope: optionalText(claims, 'scope'),
    jti: optionalText(claims, 'jti'),
    refusedFrom: (claims.exp ?? 0) + skewSeconds,
  }
}

const longestLifeSeconds = 3600
const skewSeconds = 300
/** Wide, but nothing that a database could not take as text. */
const mailPattern = /^[\x21-\x7e]{3,320}$/

/** One answer for an unknown account, a disabled one and a wrong key: nobody learns here which accounts there are. */
function notSigned(cause?: unknown): Error {
  const wrong = 'the assertion is not signed with a valid key of the service account that iss names'
  return refusal('invalid_grant', wrong, cause)
}

function readAssertion(assertion: string): {
  readonly kid: string | undefined
  readonly issuer: string
} {
  const { header, claims } = decode(assertion)
  if (header.alg !== 'RS256') throw refusal('invalid_grant', 'the assertion must be signed with RS256')
  const { kid } = header
  if (kid !== undefined && typeof kid !== 'string') throw notSigned()
  if (typeof claims.iss === 'string' && mailPattern.test(claims.iss)) return { kid, issuer: claims.iss }
  throw refusal('invalid_grant', 'the assertion has no iss with the e-mail of a service account')
}

function decode(assertion: string): {
  readonly header: ReturnType<typeof decodeProtectedHeader>
  readonly claims: JWTPayload
} {
  try {
    return { header: decodeProtectedHeader(assertion), claims: decodeJwt(assertion) }
  } catch (cause) {
    throw refusal('invalid_grant', 'the assertion is not a signed JWT', cause)
  }
}

async function verifyWithAny(
  assertion: string,
  keys: readonly ValidKey[],
  { audiences, now }: AssertionRules,
): Promise<{ readonly key: ValidKey; readonly claims: JWTPayload }> {
  for (const key of keys) {
    try {
      const { payload } = await jwtVerify(assertion, key.publicKey, {
        algorithms: ['RS256'],
        audience: [...audiences],
        requiredClaims: ['exp', 'iat'],
        maxTokenAge: longestLifeSeconds,
        clockTolerance: skewSeconds,
        currentDate: new Date(now() / 1000),
      })
      return { key, claims: payload }
    } catch (cause) {
      if (!(cause instanceof errors.JWSSignatureVerificationFailed)) throw badAssertion(cause)
    }
  }
  throw notSigned()
}

function badAssertion(cause: unknown): Error {
  const isClaim = cause instanceof errors.JWTClaimValidationFailed || cause instanceof errors.JWTExpired
  if (!isClaim) return refusal('invalid_grant', 'the assertion is not a JWT that can be read', cause)
  const hint = claimHints.get(cause.claim) ?? `${cause.claim} is not right`
  return refusal('invalid_grant', `the assertion is refused: ${hint}`, cause)
}

const claimHints: ReadonlyMap<string, string> = new Map([
  ['aud', 'aud must be the token endpoint of this server'],
  ['exp', 'exp must be there and not have passed'],
  ['iat', 'iat must be there, not in the future, and at most an hour ago'],
  ['nbf', 'nbf has not come yet'],
])

function checkLifetime({ exp = Number.NaN, iat = Number.NaN }: JWTPayload): void {
  if (exp > iat && exp - iat <= longestLifeSeconds) return
  throw refusal('invalid_grant', 'the assertion is refused: exp must be at most an hour after iat')
}

function optionalText(claims: JWTPayload, name: string): string | undefined {
  const value = claims[name]
  if (value === undefined) return undefined
  if (typeof value === 'string' && value !== '') return value
  throw refusal('invalid_grant', `the assertion is refused: ${name} must be a text`)
}
