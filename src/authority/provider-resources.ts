import { errors, type KoaContextWithOIDC, type ResourceServer } from 'oidc-provider'
import type { Resource, Resources } from './resources.ts'

export interface ResourceRules {
  readonly getResourceServerInfo: (ctx: KoaContextWithOIDC, identifier: string) => Promise<ResourceServer>
  readonly defaultResource: (
    ctx: KoaContextWithOIDC,
    client: unknown,
    oneOf?: readonly string[],
  ) => string | string[]
  readonly useGrantedResource: () => boolean
}

/** Resource indicators (RFC 8707): what tokens are made for, and what it is when the client does not say. */
export function resourceRules({ resources, accessTokenSeconds, isAdmin }: ResourceOptions): ResourceRules {
  const known = identifiersOf(resources).join(', ')
  return {
    getResourceServerInfo: async (ctx, identifier) => {
      const resource = resources.byIdentifier(identifier)
      if (resource === undefined) throw new errors.InvalidTarget(`resource must be one of ${known}`)
      // What a person may allow is settled with them; what a token may hold is settled anew for each.
      const isForAdmin = ctx.oidc.route !== 'token' || (await isAdmin(ctx.oidc.account?.accountId))
      return resourceServer(resource, { accessTokenSeconds, isForAdmin })
    },
    defaultResource: (ctx, _client, oneOf) => oneResource(resources, ctx, oneOf),
    useGrantedResource: () => true,
  }
}

/** What the scopes that are asked for belong to, of those that come into question. */
export function oneResource(
  resources: Resources,
  ctx: KoaContextWithOIDC,
  oneOf?: readonly string[],
): string | string[] {
  const scopes = [...ctx.oidc.requestParamScopes]
  const resource = resources.ofScopes(scopes)
  if (resource !== undefined && (oneOf === undefined || oneOf.includes(resource.identifier)))
    return resource.identifier
  // Without a resource it is about the person alone: the token is for /userinfo.
  if (oneOf === undefined && scopes.includes('openid') && !scopes.some(resources.scope)) return []
  throw new errors.InvalidTarget(`name one resource: ${(oneOf ?? identifiersOf(resources)).join(', ')}`)
}

function identifiersOf({ all }: Resources): readonly string[] {
  return all.map(({ identifier }) => identifier)
}

export interface ResourceOptions {
  readonly resources: Resources
  readonly accessTokenSeconds: number
  /** A client that acts for itself has no account, and is no administrator. */
  readonly isAdmin: (accountId: string | undefined) => Promise<boolean>
}

export function resourceServer(
  { identifier, isOpaque, scopes }: Resource,
  options: { readonly accessTokenSeconds: number; readonly isForAdmin: boolean },
): ResourceServer {
  const names = scopes.filter(({ isAdminOnly }) => !isAdminOnly || options.isForAdmin)
  return {
    audience: identifier,
    scope: names.map(({ name }) => name).join(' '),
    accessTokenTTL: options.accessTokenSeconds,
    ...(isOpaque
      ? { accessTokenFormat: 'opaque' as const }
      : { accessTokenFormat: 'jwt' as const, jwt: { sign: { alg: 'ES256' as const } } }),
  }
}
