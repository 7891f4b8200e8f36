import { readClaims } from './claims.ts'
import type { AskedIssuer } from './issuers.ts'
import { refusal } from './refusal.ts'
import { type JsonObject, member } from './strict-json.ts'
import { credentialId, type PresentedToken, type VerifiedToken } from './verified-token.ts'

/** Undefined when the issuer says that the token is not active; refused when it is active but not for us. */
export type IntrospectionCheck = (token: PresentedToken) => Promise<VerifiedToken | undefined>

export interface IntrospectionCheckOptions {
  readonly issuer: AskedIssuer
  /** In its canonical spelling. */
  readonly resource: string
  readonly now: () => number
}

/** Checks tokens for one resource by what one issuer says of them. */
export function createIntrospectionCheck(options: IntrospectionCheckOptions): IntrospectionCheck {
  const { issuer, resource, now } = options
  return async (token) => {
    const answer = await issuer.ask(token)
    if (answer === undefined) return undefined
    checkOrigin(answer, issuer.config.issuer)
    const claims = readClaims(answer, { issuer: issuer.config, resource, now: now() })
    return {
      principal: { ...claims, credential: { kind: 'introspection', id: credentialId(token) } },
      until: Math.min(claims.expiresAt * 1000, now() + issuer.cacheSeconds * 1000),
      isVouchedFor: () => true,
    }
  }
}

function checkOrigin(answer: JsonObject, issuer: string): void {
  const [iss, type] = [member(answer, 'iss'), member(answer, 'token_type')]
  if (iss !== undefined && iss !== issuer) throw refusal('the access token is of another issuer')
  const kind = typeof type === 'string' ? type.toLowerCase() : type
  if (kind !== undefined && kind !== 'bearer' && kind !== 'dpop')
    throw refusal('the token is not an access token')
  if (kind === 'dpop' && member(answer, 'cnf') === undefined)
    throw refusal('the access token is bound to a key that its issuer does not name')
}
