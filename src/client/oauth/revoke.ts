import * as oauth from 'oauth4webapi'
import { type IdentityOptions, identify } from './client-identity.ts'
import { requestOptions, type ServerMetadata } from './server-metadata.ts'
import type { StoredGrant } from './token-store.ts'

/** Tells the issuer that a grant is over (RFC 7009). False where it cannot be told, or does not take it. */
export async function revoke(
  server: ServerMetadata,
  grant: StoredGrant,
  options: IdentityOptions,
): Promise<boolean> {
  if (server.revocation_endpoint === undefined) return false
  const { client, authentication } = await identify(server, grant.clientId, options)
  const end = async (token: string, hint: string): Promise<boolean> => {
    const request = { ...requestOptions(options.fetch), additionalParameters: { token_type_hint: hint } }
    const response = await oauth.revocationRequest(server, client, authentication, token, request)
    return response.status === 200
  }
  const { accessToken, refreshToken } = grant
  // Not every issuer ends both with one, and many cannot take back an access token that others can verify.
  const isAccessEnded = await end(accessToken, 'access_token')
  return refreshToken === undefined ? isAccessEnded : end(refreshToken, 'refresh_token')
}
