import { printable } from '../client/oauth/server-words.ts'
import type { StoredGrant } from '../client/oauth/token-store.ts'
import { tellScopes } from './sign-in-words.ts'
import { formatTime } from './table.ts'

/** What may be shown of a token, which is everything but itself. */
export interface GrantView {
  readonly resource: string
  readonly issuer: string
  readonly who: string | null
  readonly scopes: readonly string[]
  readonly expiresAt: string | null
  /** Whether a new token comes in its place, without anybody being asked. */
  readonly isRenewed: boolean
}

export function grantView({ accessToken, ...grant }: StoredGrant): GrantView {
  const { resource, issuer, scopes, expiresAt, refreshToken } = grant
  return {
    resource,
    issuer,
    who: whoseToken(accessToken) ?? null,
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
function whoseToken(accessToken: string): string | undefined {
  const [, payload = ''] = accessToken.split('.')
  try {
    const claims = Object(JSON.parse(Buffer.from(payload, 'base64url').toString()))
    const names: readonly unknown[] = [claims.preferred_username, claims.email, claims.name, claims.sub]
    const name = names.find((value) => typeof value === 'string')
    return typeof name === 'string' ? printable(name) : undefined
  } catch {
    return undefined
  }
}
