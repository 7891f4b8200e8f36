import * as oauth from 'oauth4webapi'
import { ClientError } from '../client-error.ts'
import { step } from './oauth-failure.ts'
import type { AuthEvent } from './oauth-options.ts'
import { requestOptions, type ServerMetadata } from './server-metadata.ts'
import type { StoredClient, TokenStore } from './token-store.ts'

/** Who we are to an authorization server, and how we prove it. */
export interface ClientIdentity {
  readonly client: oauth.Client
  readonly authentication: oauth.ClientAuth
  /** Where the issuer has registered us: what the store has to keep as long as a grant needs it. */
  readonly registration?: StoredClient
}

export interface IdentityOptions {
  readonly store: TokenStore
  readonly fetch: typeof globalThis.fetch
  readonly now: () => number
  readonly onEvent: (event: AuthEvent) => void
  readonly clientId?: string
  readonly clientSecret?: string
  readonly clientMetadataUrl?: string
  readonly clientName?: string
}

export interface Introduction {
  readonly redirectUri: string
  readonly kind: 'native' | 'web'
}

/** For a sign-in: the configured client, else our document where it is read, else a registration, kept or new. */
export async function introduce(
  server: ServerMetadata,
  introduction: Introduction,
  options: IdentityOptions,
): Promise<ClientIdentity> {
  const known = configured(server, options)
  if (known !== undefined) return known
  for (const kept of (await keptClients(server, options)).toReversed()) {
    if (!kept.redirectUris.includes(introduction.redirectUri)) continue
    if (!(await isForgotten(server, kept, options))) return registered(server, kept)
    await options.store.deleteClient(kept)
  }
  const client = await register(server, introduction, options)
  await forgetClients(server.issuer, options.store)
  await options.store.setClient(client)
  options.onEvent({ kind: 'registered', issuer: server.issuer, clientId: client.clientId })
  return registered(server, client)
}

/** For a refresh or a revocation: the client that the token was issued to, and no other. */
export async function identify(
  server: ServerMetadata,
  clientId: string,
  options: IdentityOptions,
): Promise<ClientIdentity> {
  const known = configured(server, options)
  if (known?.client.client_id === clientId) return known
  const kept = (await options.store.clients(server.issuer)).find((client) => client.clientId === clientId)
  // One that is not kept was configured elsewhere, and has most often no secret.
  return identityOf(server, kept ?? { clientId })
}

/** The address that a kept registration would like the answer to come back to. */
export async function preferredRedirect(
  server: ServerMetadata,
  options: IdentityOptions,
): Promise<string | undefined> {
  if (configured(server, options) !== undefined) return undefined
  return (await keptClients(server, options)).at(-1)?.redirectUris[0]
}

/** Registrations that no grant needs any more. */
export async function forgetClients(issuer: string, store: TokenStore): Promise<void> {
  const used = new Set((await store.grants()).map(({ clientId }) => clientId))
  for (const client of await store.clients(issuer))
    if (!used.has(client.clientId)) await store.deleteClient(client)
}

/** Keeps the registration of a grant, which another sign-in may have thought unused before the grant was there. */
export async function keepClient(client: StoredClient, store: TokenStore): Promise<void> {
  const kept = await store.clients(client.issuer)
  if (!kept.some(({ clientId }) => clientId === client.clientId)) await store.setClient(client)
}

/**
 * Whether the issuer says that it does not know the client. At its page only the person would see that, so its token
 * endpoint is asked, with a refresh token that is none: it looks at the client first (RFC 6749, section 3.2.1).
 */
async function isForgotten(
  server: ServerMetadata,
  kept: StoredClient,
  { fetch }: IdentityOptions,
): Promise<boolean> {
  const { client, authentication } = identityOf(server, kept)
  const request = requestOptions(fetch)
  try {
    const response = await oauth.refreshTokenGrantRequest(server, client, authentication, 'none', request)
    return Object(await response.json()).error === 'invalid_client'
  } catch {
    return false
  }
}

function configured(server: ServerMetadata, options: IdentityOptions): ClientIdentity | undefined {
  const { clientId, clientSecret, clientMetadataUrl } = options
  if (clientId !== undefined) return identityOf(server, { clientId, clientSecret })
  if (clientMetadataUrl !== undefined && server.client_id_metadata_document_supported === true)
    return identityOf(server, { clientId: clientMetadataUrl })
  return undefined
}

async function keptClients(
  { issuer }: ServerMetadata,
  { store, now }: IdentityOptions,
): Promise<readonly StoredClient[]> {
  const kept = await store.clients(issuer)
  return kept.filter(({ secretExpiresAt }) => secretExpiresAt === undefined || secretExpiresAt > now())
}

function registered(server: ServerMetadata, registration: StoredClient): ClientIdentity {
  return { ...identityOf(server, registration), registration }
}

function identityOf(
  server: ServerMetadata,
  known: Pick<StoredClient, 'clientId' | 'clientSecret' | 'authMethod'>,
): ClientIdentity {
  return { client: { client_id: known.clientId }, authentication: authenticationOf(server, known) }
}

function authenticationOf(
  server: ServerMetadata,
  { clientSecret, authMethod }: Pick<StoredClient, 'clientSecret' | 'authMethod'>,
): oauth.ClientAuth {
  if (clientSecret === undefined || authMethod === 'none') return oauth.None()
  // RFC 8414: a server that names none takes client_secret_basic.
  const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic']
  const isBasic = (authMethod ?? (methods.includes(basic) ? basic : '')) === basic
  return isBasic ? oauth.ClientSecretBasic(clientSecret) : oauth.ClientSecretPost(clientSecret)
}

const basic = 'client_secret_basic'
const knownMethods = ['none', basic, 'client_secret_post'] as const

async function register(
  server: ServerMetadata,
  { redirectUri, kind }: Introduction,
  { fetch, clientName = 'Postern client' }: IdentityOptions,
): Promise<StoredClient> {
  const { issuer } = server
  if (server.registration_endpoint === undefined)
    throw new ClientError(
      'no_client',
      `${issuer} lets no program introduce itself: register a client there with the redirect URI ${redirectUri}, and give its id as clientId`,
    )
  const methods = server.token_endpoint_auth_methods_supported ?? []
  const metadata = {
    client_name: clientName,
    redirect_uris: [redirectUri],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: knownMethods.find((method) => methods.includes(method)) ?? 'none',
    application_type: kind,
  }
  const refused = { code: 'registration_refused', message: `${issuer} did not register this program` }
  const answer = await step(refused, async () => {
    const response = await oauth.dynamicClientRegistrationRequest(server, metadata, requestOptions(fetch))
    // Some servers answer 200 where RFC 7591 asks for 201.
    const status = response.status === 200 ? 201 : response.status
    const { body, headers } = response
    return oauth.processDynamicClientRegistrationResponse(new Response(body, { status, headers }))
  })
  const expires = Number(answer.client_secret_expires_at ?? 0)
  return {
    issuer,
    clientId: answer.client_id,
    clientSecret: textOf(answer.client_secret),
    ...(expires > 0 ? { secretExpiresAt: expires * 1000 } : {}),
    authMethod: textOf(answer.token_endpoint_auth_method) ?? metadata.token_endpoint_auth_method,
    redirectUris: [redirectUri],
  }
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}
