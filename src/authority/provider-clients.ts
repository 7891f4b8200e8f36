import type { ClientMetadata, Provider } from 'oidc-provider'
import type { Config } from '../config/config-schema.ts'
import { Failure } from '../failure/failure.ts'

type ConfiguredClient = Config['authority']['clients'][number]

export function configuredClients({ authority }: Config): ClientMetadata[] {
  return authority.clients.map(metadataOf)
}

/** The provider looks at a client only when it is used; a wrong one is to be found when the authority starts. */
export async function checkConfiguredClients(provider: Provider, { authority }: Config): Promise<void> {
  for (const [index, { id }] of authority.clients.entries()) {
    try {
      await provider.Client.find(id)
    } catch (cause) {
      const reason = cause instanceof Error && 'error_description' in cause ? cause.error_description : cause
      const field = `authority.clients[${index}]`
      throw new Failure('misconfigured', `${field} cannot be used: ${String(reason)}`, { cause, field })
    }
  }
}

/** Without a place to be sent back to, nobody can sign in for it: it only asks about tokens or acts for itself. */
function metadataOf({ id, name, secret, redirectUris, grants }: ConfiguredClient): ClientMetadata {
  const isForPeople = redirectUris.length > 0 && grants.includes('authorization_code')
  return {
    client_id: id,
    client_name: name,
    redirect_uris: isForPeople ? [...redirectUris] : [],
    response_types: isForPeople ? ['code'] : [],
    grant_types: grants.filter((grant) => isForPeople || grant === 'client_credentials'),
    ...(secret === undefined
      ? { token_endpoint_auth_method: 'none' }
      : { token_endpoint_auth_method: 'client_secret_basic', client_secret: secret }),
  }
}
