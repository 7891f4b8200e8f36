import { printable } from '../client/oauth/server-words.ts'
import type { StoredGrant } from '../client/oauth/token-store.ts'
import { tellScopes } from './sign-in-words.ts'
import { formatTime } from './table.ts'

/** What may be shown of a token, which is everything but itself. */
export interface GrantView {
  readonly resource: string
  readonly issuer: string
  /** What the token calls the one who signed in. */
  readonly who: string | null
  /** What the gateway knows them by, as events and sessions have it. */
  readonly subject: string | null
  readonly scopes: readonly string[]
  readonly expiresAt: string | null
  /** Whether a new token comes in its place, without anybody being asked. */
  readonly isRenewed: boolean
}

export function grantView({ accessToken, ...grant }: StoredGrant): GrantView {
  const { resource, issuer, scopes, expiresAt, refreshToken } = grant
  const claims = claimsOf(accessToken)
  return {
    resource,
    issuer,
    who: firstText([claims.preferred_username, claims.email, claims.name, claims.sub]),
    subject: firstText([claims.sub]),
    scopes,
    expiresAt: expiresAt === undefined ? null : new Date(expiresAt).toISOString(),
    isRenewed: refreshToken !== undefined,
  }
}

export function tellGrant(grant: StoredGrant): string {
  const { who, resource, issuer, scopes, expiresAt, isRenewed } = grantView(grant)
  const time = expiresAt === null ? 'its issuer ends it' : formatTime(Date.parse(expiresAt) * 1000)
  return [
    `Signed in to ${resource}${who === null ? '' : ` as ${who}`}.`,
    `  by     ${printable(issuer)}`,
    `  for    ${tellScopes(scopes)}`,
    `  until  ${time}${isRenewed ? ', and renewed as long as you use it' : ''}`,
    '',
  ].join('\n')
}

/** Only to be shown: nobody has verified it here. An opaque token names nobody. */
function claimsOf(accessToken: string): Readonly<Record<string, unknown>> {
  const [, payload = ''] = accessToken.split('.')
  try {
    return Object(JSON.parse(Buffer.from(payload, 'base64url').toString()))
  } catch {
    return {}
  }
}

function firstText(values: readonly unknown[]): string | null {
  const text = values.find((value) => typeof value === 'string')
  return typeof text === 'string' ? printable(text) : null
}
