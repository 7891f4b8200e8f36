import { errors, type KoaContextWithOIDC, Provider } from 'oidc-provider'
import { oneResource } from './provider-resources.ts'
import type { Resources } from './resources.ts'

/**
 * The provider spends a code or refresh token before it looks at `resource`, so the request that puts a wrong one right would
 * pass for a second use and end the sign-in.
 */
export function checkResourceFirst(
  { AuthorizationCode, RefreshToken }: Pick<Provider, 'AuthorizationCode' | 'RefreshToken'>,
  resources: Resources,
): void {
  for (const { prototype } of [AuthorizationCode, RefreshToken]) {
    const spend = prototype.consume
    prototype.consume = async function consume(this: Granting): Promise<void> {
      const { ctx } = Provider
      if (ctx !== undefined) checkResource(ctx, this.resource, resources)
      await Reflect.apply(spend, this, [])
    }
  }
}

interface Granting {
  readonly resource?: string | string[] | undefined
}

function checkResource(ctx: KoaContextWithOIDC, resource: Granting['resource'], resources: Resources): void {
  const granted = [resource ?? []].flat()
  const named: unknown = ctx.oidc.params?.resource
  const names: readonly unknown[] = [named ?? granted].flat()
  const possible = granted.filter((identifier) => names.includes(identifier))
  if (named !== undefined && possible.length === 0) throw wrongResource(granted)
  if (names.length > 1) oneResource(resources, ctx, possible)
}

function wrongResource(granted: readonly string[]): errors.InvalidTarget {
  return new errors.InvalidTarget(
    granted.length === 0
      ? 'leave resource out: this sign-in is for none'
      : `resource must be what this sign-in is for: ${granted.join(' or ')}`,
  )
}
