import type * as oauth from 'oauth4webapi'
import { ClientError } from '../client-error.ts'
import { scopeList } from './challenge.ts'
import type { StoredGrant } from './token-store.ts'

/** What is known of a grant before the token endpoint answers. */
export interface GrantRequest {
  readonly resource: string
  readonly audience: string
  readonly issuer: string
  readonly clientId: string
  readonly scopes: readonly string[]
  /** Of the grant that is refreshed: it stays good where no new one comes. */
  readonly refreshToken?: string | undefined
  readonly now: number
}

export function grantOf(answer: oauth.TokenEndpointResponse, request: GrantRequest): StoredGrant {
  const { now, scopes, refreshToken, ...rest } = request
  if (answer.token_type !== 'bearer')
    throw new ClientError('token_refused', `${rest.issuer} sent a token that is not a bearer token`)
  // A header cannot carry anything else (RFC 6750, section 2.1), and must not be made to.
  if (!/^[\w.~+/-]+=*$/.test(answer.access_token))
    throw new ClientError(
      'token_refused',
      `${rest.issuer} sent a token with characters that no token may have`,
    )
  return {
    ...rest,
    accessToken: answer.access_token,
    refreshToken: answer.refresh_token ?? refreshToken,
    // RFC 6749, section 5.1: without a scope, what was asked for was granted.
    scopes: answer.scope === undefined ? scopes : scopeList(answer.scope),
    savedAt: now,
    ...(answer.expires_in === undefined
      ? {}
      : { expiresAt: Math.min(now + answer.expires_in * 1000, latestDate) }),
  }
}

/** Some issuers say "for good" with a number that no clock reaches. */
const latestDate = 8.64e15

/** Whether it should be refreshed: a minute early, or a fifth of its life where that is short. */
export function isDue({ savedAt, expiresAt }: StoredGrant, now: number): boolean {
  if (expiresAt === undefined) return false
  return now >= expiresAt - Math.min(60_000, (expiresAt - savedAt) / 5)
}

export function isExpired({ expiresAt }: StoredGrant, now: number): boolean {
  return expiresAt !== undefined && now >= expiresAt
}
