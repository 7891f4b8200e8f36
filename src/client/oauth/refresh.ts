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
  const { resource, audience, issuer, clientId, scopes, refreshToken } = grant
  if (refreshToken === undefined) return undefined
  const { client, authentication } = await identify(server, clientId, options)
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
    const known = { resource, audience, issuer, clientId, scopes, refreshToken }
    return grantOf(answer, { ...known, now: options.now() })
  } catch (error) {
    const reason = (error instanceof ClientError && error.reason) || ''
    if (isClientGone(reason)) await options.store.deleteClient({ issuer: server.issuer, clientId })
    else if (reason !== 'invalid_grant') throw error
    return undefined
  }
}

function isClientGone(reason: string): boolean {
  return reason === 'invalid_client' || reason === 'unauthorized_client'
}
