import type { ServerResponse } from 'node:http'
import type { KoaContextWithOIDC } from 'oidc-provider'
import type { Exchange } from './route.ts'

/** A refresh on behalf of a credentials file of the type `external_account_authorized_user`. */
export function refreshForFile({ response, forward }: Exchange): Promise<void> {
  forFiles.add(response)
  return forward('/token')
}

/**
 * Google's libraries never write a new refresh token into the file, so rotation would end it with its second reader. OAuth
 * 2.1, section 4.3.1, asks for rotation from public clients; here a client has shown its secret.
 */
export function keepsRefreshToken(ctx: Pick<KoaContextWithOIDC, 'res' | 'oidc'>): boolean {
  return forFiles.has(ctx.res) && ctx.oidc.client?.clientAuthMethod !== 'none'
}

const forFiles = new WeakSet<ServerResponse>()
