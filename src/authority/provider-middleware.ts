import type { KoaContextWithOIDC } from 'oidc-provider'
import { assertionGrant } from './assertion-grant.ts'
import type { AuthorityContext } from './context.ts'
import { prolong } from './record-life.ts'
import type { Resources } from './resources.ts'

type Middleware = (ctx: KoaContextWithOIDC, next: () => Promise<void>) => Promise<void>

/** The discovery document names the scopes of the resources and the grant that stands in front of the provider. */
export function describeMore(resources: Resources): Middleware {
  const scopes = resources.all.flatMap((resource) => resource.scopes.map(({ name }) => name))
  return async (ctx, next) => {
    await next()
    const document: unknown = ctx.body
    if (!wellKnown.has(ctx.path) || typeof document !== 'object' || document === null) return
    ctx.body = {
      ...document,
      scopes_supported: [...listOf(document, 'scopes_supported'), ...scopes],
      grant_types_supported: [...listOf(document, 'grant_types_supported'), assertionGrant],
      response_modes_supported: ['query'],
    }
  }
}

/** The provider publishes every key that it knows; whoever took an old one must not sign with it any more. */
export function hideRetiredKeys(retired: ReadonlySet<string>): Middleware {
  return async (ctx, next) => {
    await next()
    const document: unknown = ctx.body
    if (retired.size === 0 || typeof document !== 'object' || document === null || !('keys' in document))
      return
    const isKept = (key: unknown): boolean => !retired.has(String(Reflect.get(Object(key), 'kid')))
    Reflect.set(document, 'keys', listOf(document, 'keys').filter(isKept))
  }
}

/** RFC 6749, section 3.3: a client that names no scope asks for all of the resource that everybody can allow. */
export function assumeScopes(resources: Resources): Middleware {
  return (ctx, next) => {
    const { scope = '', resource = [] } = ctx.query
    const named = typeof scope === 'string' ? scope.split(' ').filter((name) => name !== '') : undefined
    // To stay connected is no use of its own.
    if (!/^\/authorize\/?$/i.test(ctx.path) || named?.every((name) => name === 'offline_access') !== true)
      return next()
    const assumed = [resource]
      .flat()
      .flatMap((identifier) => resources.byIdentifier(identifier)?.scopes ?? [])
      .filter(({ isAdminOnly }) => !isAdminOnly)
    if (assumed.length > 0)
      ctx.query = { ...ctx.query, scope: [...named, ...assumed.map(({ name }) => name)].join(' ') }
    return next()
  }
}

/** A client that registered itself stays known for as long as it gets tokens. */
export function keepClientInUse({
  config,
  store,
  now,
}: Pick<AuthorityContext, 'config' | 'store' | 'now'>): Middleware {
  const seconds = Math.max(90, config.authority.refreshTokenDays) * 86_400
  return async (ctx, next) => {
    await next()
    const client = ctx.path === '/token' && ctx.status === 200 ? ctx.oidc.client : undefined
    if (client !== undefined) await prolong(store, now, { kind: 'Client', id: client.clientId, seconds })
  }
}

const wellKnown: ReadonlySet<string> = new Set([
  '/.well-known/openid-configuration',
  '/.well-known/oauth-authorization-server',
])

function listOf(document: object, name: string): readonly unknown[] {
  const value: unknown = Reflect.get(document, name)
  return Array.isArray(value) ? value : []
}
