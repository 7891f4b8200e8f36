import { type AdapterFactory, type Configuration, type Grant, type JWKS, Provider } from 'oidc-provider'
import { createFindAccount } from './account.ts'
import { applyClientRules } from './client-rules.ts'
import { throttleSecrets } from './client-secrets.ts'
import { createConsents } from './consents.ts'
import type { AuthorityContext } from './context.ts'
import { answerOutages } from './document-outage.ts'
import { createLoadExistingGrant, separateGrant } from './existing-grant.ts'
import { createExtraTokenClaims } from './extra-token-claims.ts'
import { checkResourceFirst } from './granted-resource.ts'
import { createInteractionPolicy } from './interaction-policy.ts'
import { configuredClients } from './provider-clients.ts'
import { createFeatures } from './provider-features.ts'
import { assumeScopes, describeMore, hideRetiredKeys, keepClientInUse } from './provider-middleware.ts'
import { renderError } from './provider-pages.ts'
import { prolong } from './record-life.ts'
import { keepsRefreshToken } from './user-refresh.ts'
import { createUsers } from './users.ts'

/** What the provider is made of, besides its keys. */
export interface ProviderParts {
  readonly context: Omit<AuthorityContext, 'provider'>
  readonly adapter: AdapterFactory
  readonly cookieKeys: readonly string[]
  readonly fetch: NonNullable<Configuration['fetch']>
  /** The names of keys that are not published. */
  readonly retired: ReadonlySet<string>
}

export function buildProvider(parts: ProviderParts, jwks: JWKS): Provider {
  const { config, log } = parts.context
  const provider = new Provider(config.authority.issuer, { ...configuration(parts), jwks })
  // The front has put the issuer's own scheme and host into the forwarded headers.
  provider.proxy = true
  throttleSecrets(provider, parts.context)
  answerOutages(provider, parts.context)
  checkResourceFirst(provider, parts.context.resources)
  provider.use(assumeScopes(parts.context.resources))
  provider.use(describeMore(parts.context.resources))
  provider.use(hideRetiredKeys(parts.retired))
  provider.use(keepClientInUse(parts.context))
  provider.on('server_error', (ctx, error) => {
    log.error({ request_id: ctx.res.getHeader('x-request-id'), path: ctx.path, err: error }, 'request failed')
  })
  // Otherwise Koa would print it.
  provider.onerror = (error) => log.warn({ err: error }, 'an answer broke off')
  return provider
}

function configuration(parts: ProviderParts): Configuration {
  const { config, store, now } = parts.context
  const configured = new Set(config.authority.clients.map(({ id }) => id))
  return {
    adapter: parts.adapter,
    clients: configuredClients(config),
    clientDefaults: { id_token_signed_response_alg: 'ES256' },
    clientAuthMethods: ['none', 'client_secret_basic', 'client_secret_post'],
    // A public client cannot be told from another one by its origin, and no cookie counts at these endpoints.
    clientBasedCORS: (_ctx, _origin, client) => client.clientAuthMethod === 'none',
    cookies: {
      keys: parts.cookieKeys,
      names: cookieNames(config.authority.issuer),
      short: cookie,
      long: cookie,
    },
    enabledJWA: { idTokenSigningAlgValues: ['ES256'] },
    extraClientMetadata: {
      // The hook runs once for each property named here, whether the client has it or not.
      properties: ['application_type'],
      validator: (...[, , , metadata]) => applyClientRules(metadata, configured.has(metadata.client_id)),
    },
    extraTokenClaims: createExtraTokenClaims(createUsers(store, now)),
    features: createFeatures(parts.context),
    fetch: parts.fetch,
    findAccount: createFindAccount(createUsers(store, now), config),
    interactions: { policy: createInteractionPolicy(), url: (_ctx, { uid }) => `/sign-in/${uid}` },
    pkce: { required: () => true },
    renderError,
    responseTypes: ['code'],
    routes,
    scopes: ['openid', 'offline_access'],
    claims: { openid: ['sub'], profile: ['name', 'preferred_username'] },
    ...lifetimes(parts.context),
  }
}

/**
 * Browsers hold a cookie to its prefix, so that no other host of the domain can plant one; the two of a sign-in have a
 * path of their own and can have the weaker prefix only. A cookie is for every port of its host, so that the names say
 * which one it is of: two authorities on one machine must not end each other's sessions.
 */
function cookieNames(issuer: string): { session: string; interaction: string; resume: string } {
  const [host, secure] = issuer.startsWith('https:') ? ['__Host-', '__Secure-'] : ['', '']
  const { port } = new URL(issuer)
  const name = port === '' ? 'postern' : `postern-${port}`
  return {
    session: `${host}${name}-session`,
    interaction: `${secure}${name}-interaction`,
    resume: `${secure}${name}-resume`,
  }
}

const cookie = { httpOnly: true, sameSite: 'lax', signed: true } as const

const routes = {
  authorization: '/authorize',
  end_session: '/end-session',
  introspection: '/introspect',
  jwks: '/jwks',
  registration: '/register',
  revocation: '/revoke',
  token: '/token',
  userinfo: '/userinfo',
} as const

type Lifetimes = Pick<
  Configuration,
  'ttl' | 'issueRefreshToken' | 'expiresWithSession' | 'rotateRefreshToken' | 'loadExistingGrant'
>

const codeSeconds = 60

function lifetimes({ config, store, now, resources }: ProviderParts['context']): Lifetimes {
  const { accessTokenSeconds, refreshTokenDays, sessionHours } = config.authority
  const seconds = refreshTokenDays * 86_400
  const users = createUsers(store, now)
  const consents = createConsents(store, now)
  const existingGrant = createLoadExistingGrant({ users, consents, resources, store })
  /** What the person allowed is remembered for as long as tokens come of it. */
  const keepGrant = async ({ jti, accountId = '', clientId = '' }: Grant): Promise<void> => {
    const remembered = await consents.findGrantId(accountId, clientId)
    for (const id of new Set([jti, remembered ?? jti]))
      await prolong(store, now, { kind: 'Grant', id, seconds })
  }
  return {
    ttl: {
      AccessToken: accessTokenSeconds,
      AuthorizationCode: codeSeconds,
      ClientCredentials: accessTokenSeconds,
      Grant: seconds,
      // Not longer than a key is published after its last use.
      IdToken: accessTokenSeconds,
      Interaction: 3600,
      RefreshToken: seconds,
      // Before anybody has signed in it holds no more than where a sign-out is to end.
      Session: (_ctx, { accountId }) => (accountId === undefined ? 3600 : sessionHours * 3600),
    },
    issueRefreshToken: (_ctx, client) => client.grantTypeAllowed('refresh_token'),
    expiresWithSession: async (ctx, token) => {
      // The last that the provider asks before it saves a code.
      await separateGrant(ctx, token, codeSeconds + accessTokenSeconds)
      // Tokens belong to the client, which goes on when the person leaves the browser.
      return false
    },
    rotateRefreshToken: async (ctx) => {
      const { Grant: grant, RefreshToken: token } = ctx.oidc.entities
      if (grant !== undefined) await keepGrant(grant)
      if (!keepsRefreshToken(ctx)) return true
      if (token !== undefined) await prolong(store, now, { kind: 'RefreshToken', id: token.jti, seconds })
      return false
    },
    loadExistingGrant: async (ctx) => {
      const grant = await existingGrant(ctx)
      if (grant === undefined) return undefined
      await prolong(store, now, { kind: 'Grant', id: grant.jti, seconds })
      grant.exp = Math.floor(now() / 1_000_000) + seconds
      return grant
    },
  }
}
