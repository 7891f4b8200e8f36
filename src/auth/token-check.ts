import { Failure } from '../failure/failure.ts'
import { createBoundedMemory } from './bounded-memory.ts'
import { type CompactJwt, parseCompactJwt } from './compact-jwt.ts'
import { createIntrospectionCheck, type IntrospectionCheck } from './introspection.ts'
import type { Issuers } from './issuers.ts'
import { createJwtCheck } from './jwt-check.ts'
import { refusal } from './refusal.ts'
import { member } from './strict-json.ts'
import type { PresentedToken, VerifiedToken } from './verified-token.ts'

export type TokenCheck = (token: PresentedToken) => Promise<VerifiedToken>

export interface TokenCheckOptions {
  /** In its canonical spelling. */
  readonly resource: string
  readonly issuers: Issuers
  readonly now: () => number
}

/** Takes a token to the issuer that can judge it; an issuer that is not configured is never asked anything. */
export function createTokenCheck({ resource, issuers, now }: TokenCheckOptions): TokenCheck {
  const byKeys = new Map(
    issuers.byKeys.map((issuer) => [issuer.config.issuer, createJwtCheck({ issuer, resource, now })]),
  )
  const byQuestion = new Map(
    issuers.byQuestion.map((issuer) => [
      issuer.config.issuer,
      createIntrospectionCheck({ issuer, resource, now }),
    ]),
  )
  const cacheSeconds = issuers.byQuestion.map((issuer) => issuer.cacheSeconds)
  const refusedFor = 1000 * Math.min(longestRefusal, ...cacheSeconds)
  const refused = createBoundedMemory<number>(mostRefused)

  async function askInOrder(
    token: PresentedToken,
    checks: readonly IntrospectionCheck[],
  ): Promise<VerifiedToken> {
    if ((refused.get(token.id) ?? 0) > now()) throw inactive()
    try {
      return await firstActive(token, checks)
    } catch (failure) {
      const isFinal = failure instanceof Failure && failure.code === 'unauthenticated'
      if (isFinal && refusedFor > 0 && checks.length > 0) refused.set(token.id, now() + refusedFor)
      throw failure
    }
  }

  async function check(token: PresentedToken): Promise<VerifiedToken> {
    if (!tokenGrammar.test(token.text)) throw refusal('the access token has characters that no token has')
    const jwt = parseCompactJwt(token.text)
    const named = jwt === undefined ? undefined : member(jwt.claims, 'iss')
    if (jwt === undefined || named === undefined) return askInOrder(token, askable(token))
    return checkAtIssuer(token, jwt, named)
  }

  /** An opaque token does not say whose it is, so it is shown to one issuer after the other, until one knows it. */
  function askable({ vouchedBy = '' }: PresentedToken): readonly IntrospectionCheck[] {
    const known = byQuestion.get(vouchedBy)
    return known === undefined ? [...byQuestion.values()] : [known]
  }

  function checkAtIssuer(token: PresentedToken, jwt: CompactJwt, named: unknown): Promise<VerifiedToken> {
    const name = typeof named === 'string' ? named : ''
    const question = byQuestion.get(name)
    if (question !== undefined) return askInOrder(token, [question])
    const keys = byKeys.get(name)
    if (keys === undefined) throw refusal('the issuer of the access token is not accepted here')
    return keys(token, jwt)
  }

  return check
}

/** `token68` of RFC 9110, section 11.2. */
const tokenGrammar = /^[A-Za-z0-9\-._~+/]+=*$/

/** In seconds: a token that nobody knows is not asked about again for this long. */
const longestRefusal = 10
const mostRefused = 10_000

/** The first issuer that calls the token active decides; one that does not answer only matters if none does. */
async function firstActive(
  token: PresentedToken,
  checks: readonly IntrospectionCheck[],
): Promise<VerifiedToken> {
  let unanswered: unknown
  for (const ask of checks) {
    try {
      const verified = await ask(token)
      if (verified !== undefined) return verified
    } catch (failure) {
      if (!(failure instanceof Failure && failure.code === 'unavailable')) throw failure
      unanswered = failure
    }
  }
  throw unanswered ?? inactive()
}

function inactive(): Failure {
  return refusal('the access token is not active, or not of an issuer that is accepted here')
}
