import * as oauth from 'oauth4webapi'
import { ClientError } from '../client-error.ts'
import { type IdentityOptions, identify } from './client-identity.ts'
import { grantOf } from './grant.ts'
import { step } from './oauth-failure.ts'
import { requestOptions, type ServerMetadata } from './server-metadata.ts'
import type { StoredGrant } from './token-store.ts'

/** A new token for an old one; nothing where the grant has ended and a person has to be asked. */
export async function refresh(
  server: ServerMetadata,
  grant: StoredGrant,
  options: IdentityOptions,
): Promise<StoredGrant | undefined> {
  const { audience, refreshToken } = grant
  const identity = await identify(server, grant.clientId, options)
  if (identity === undefined || refreshToken === undefined) return undefined
  const { client, authentication } = identity
  const refused = { code: 'token_refused', message: `${server.issuer} did not refresh the token` }
  try {
    const answer = await step(refused, async () => {
      const request = { ...requestOptions(options.fetch), additionalParameters: { resource: audience } }
      const response = await oauth.refreshTokenGrantRequest(
        server,
        client,
        authentication,
        refreshToken,
        request,
      )
      return oauth.processRefreshTokenResponse(server, client, response)
    })
    return grantOf(answer, { ...grant, now: options.now() })
  } catch (error) {
    if (!(error instanceof ClientError && endings.has(error.reason ?? ''))) throw error
    return undefined
  }
}

/** The grant or the client is gone. */
const endings: ReadonlySet<string> = new Set(['invalid_grant', 'invalid_client', 'unauthorized_client'])
