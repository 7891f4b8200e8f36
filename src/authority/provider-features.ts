import type { Configuration } from 'oidc-provider'
import type { AuthorityContext } from './context.ts'
import { logoutSource, postLogoutSuccessSource } from './provider-pages.ts'
import { resourceRules } from './provider-resources.ts'
import { createUsers } from './users.ts'

/** What the provider can do; whatever is not named is as the library has it. */
export function createFeatures({
  config,
  resources,
  store,
  now,
}: Pick<AuthorityContext, 'config' | 'resources' | 'store' | 'now'>): NonNullable<Configuration['features']> {
  const { registration, clientDocuments, clients, accessTokenSeconds } = config.authority
  const asking = new Set(clients.filter(({ introspects }) => introspects).map(({ id }) => id))
  const users = createUsers(store, now)
  const isAdmin = async (id: string | undefined): Promise<boolean> =>
    id !== undefined && (await users.findById(id))?.isAdmin === true
  return {
    clientCredentials: { enabled: true },
    clientIdMetadataDocument: { enabled: clientDocuments, ack: 'draft-02' },
    devInteractions: { enabled: false },
    // For tools that ask for tokens bound to a key (RFC 9449).
    dPoP: { enabled: true },
    introspection: {
      enabled: true,
      // A refresh token that is called active could pass for an access token.
      allowedPolicy: (_ctx, client, token) => asking.has(client.clientId) && token.kind !== 'RefreshToken',
    },
    pushedAuthorizationRequests: { enabled: false },
    registration: { enabled: registration, issueRegistrationAccessToken: false },
    resourceIndicators: { enabled: true, ...resourceRules({ resources, accessTokenSeconds, isAdmin }) },
    revocation: {
      enabled: true,
      allowedPolicy: (_ctx, client, token) => token.clientId === client.clientId,
    },
    rpInitiatedLogout: { enabled: true, logoutSource, postLogoutSuccessSource },
    userinfo: { enabled: true },
  }
}
