import type { Configuration, KoaContextWithOIDC } from 'oidc-provider'
import type { Users } from './users.ts'

type ExtraTokenClaims = NonNullable<Configuration['extraTokenClaims']>

/**
 * RFC 9068 asks for `auth_time` where there was a person; RFC 7662 answers want a `sub` for programs too. The login is for
 * those who read who called: nobody knows a person by the `sub`.
 */
export function createExtraTokenClaims({ findById }: Pick<Users, 'findById'>): ExtraTokenClaims {
  return async (ctx: KoaContextWithOIDC | undefined, token) => {
    if (token.kind === 'ClientCredentials') return { sub: token.clientId }
    const { AuthorizationCode: code, RefreshToken: refresh } = ctx?.oidc.entities ?? {}
    const authTime = code?.authTime ?? refresh?.authTime
    const user = await findById(token.accountId)
    return {
      ...(authTime === undefined ? {} : { auth_time: authTime }),
      ...(user === undefined ? {} : { preferred_username: user.login }),
    }
  }
}
