import type { Provider } from 'oidc-provider'
import type { AuthorityContext } from './context.ts'
import { resourceServer } from './provider-resources.ts'
import type { Resource } from './resources.ts'

/**
 * A token for a service account itself, of the kind that the resource takes. What the account may have is decided
 * before. It has no client record, so nothing can be asked for in its name at the endpoints of the provider.
 */
export async function mintForServiceAccount(
  { config, provider }: AuthorityContext,
  order: { readonly email: string; readonly scopes: readonly string[]; readonly resource: Resource },
): Promise<{ token: string; expiresIn: number }> {
  const { accessTokenSeconds: expiresIn } = config.authority
  const { ClientCredentials, ResourceServer } = provider()
  const server = resourceServer(order.resource, { accessTokenSeconds: expiresIn, isForAdmin: true })
  const properties = {
    clientId: order.email,
    scope: order.scopes.join(' ') || undefined,
    resourceServer: new ResourceServer(order.resource.identifier, server),
    expiresIn,
  }
  // The type asks for a client where the model is content with its name.
  const token: InstanceType<Provider['ClientCredentials']> = Reflect.construct(ClientCredentials, [
    properties,
  ])
  return { token: await token.save(), expiresIn }
}
