import type { FindAccount } from 'oidc-provider'
import type { Config } from '../config/config-schema.ts'
import type { User } from './user-row.ts'
import type { Users } from './users.ts'

/** Who can no longer sign in has no account: neither session, code nor refresh token goes on. */
export function createFindAccount(
  { findById }: Pick<Users, 'findById'>,
  { authority }: Pick<Config, 'authority'>,
): FindAccount {
  return async ({ oidc }, id, token) => {
    const user = await findById(id)
    const signedInAt = token === undefined ? oidc.session?.loginTs : signInOf(token)
    if (user === undefined || !isAdmitted(user, authority) || isSignedOut(user, signedInAt)) return undefined
    return {
      accountId: user.id,
      claims: () => ({ sub: user.id, name: user.name, preferred_username: user.login }),
    }
  }
}

/** Whether the configuration still lets this person sign in, the way they do. */
export function isAdmitted(
  { isDisabled, upstream }: User,
  { localUsers, upstream: configured }: Config['authority'],
): boolean {
  if (isDisabled) return false
  return upstream === undefined ? localUsers : isSameIssuer(upstream.issuer, configured?.issuer)
}

/** Whether all that comes from a sign-in at that time, in seconds, was ended since. */
export function isSignedOut({ signedOutAt }: User, signedInAt: number | undefined): boolean {
  return signedOutAt !== undefined && (signedInAt ?? 0) <= signedOutAt
}

/** Discovery takes an issuer with and without its last slash for the same. */
function isSameIssuer(one: string, other: string | undefined): boolean {
  return other !== undefined && URL.parse(one)?.href === URL.parse(other)?.href
}

function signInOf(token: NonNullable<Parameters<FindAccount>[2]>): number | undefined {
  return 'authTime' in token && token.authTime !== undefined ? token.authTime : token.iat
}
