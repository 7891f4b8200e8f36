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
  const kept = await keptClients(server, options)
  const fitting = kept.findLast(({ redirectUris }) => redirectUris.includes(introduction.redirectUri))
  if (fitting !== undefined) return identityOf(server, fitting)
  const client = await register(server, introduction, options)
  await forgetClients(server.issuer, options.store)
  await options.store.setClient(client)
  options.onEvent({ kind: 'registered', issuer: server.issuer, clientId: client.clientId })
  return identityOf(server, client)
}

/** For a refresh or a revocation: the client that the token was issued to, and no other. */
export async function identify(
  server: ServerMetadata,
  clientId: string,
  options: IdentityOptions,
): Promise<ClientIdentity | undefined> {
  const known = configured(server, options)
  if (known !== undefined) return known.client.client_id === clientId ? known : undefined
  const kept = (await keptClients(server, options)).find((client) => client.clientId === clientId)
  return kept === undefined ? undefined : identityOf(server, kept)
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
