import type { OAuthClientProvider as SecondProvider } from '@modelcontextprotocol/client'
import type { OAuthClientProvider as FirstProvider } from '@modelcontextprotocol/sdk/client/auth.js'
import { redirectUri } from '../authorization-server/settings.ts'

/** What a host keeps for a client, in memory; fits both generations of the official client. */
export interface OAuthMemory {
  readonly provider: FirstProvider & SecondProvider
  /** Where the person was last sent to sign in. */
  readonly askedAt: () => URL
  /** Swaps the access token for one that no server takes. */
  readonly spoilToken: () => void
}

export interface OAuthMemoryOptions {
  /** The URL of a client ID metadata document, in place of a registration. */
  readonly clientMetadataUrl?: string | undefined
  /** Whether the client says that it can refresh tokens. */
  readonly refreshes?: boolean
}

export function createOAuthMemory({
  clientMetadataUrl,
  refreshes = false,
}: OAuthMemoryOptions = {}): OAuthMemory {
  let registration: { client_id: string; client_secret?: string } | undefined
  let tokens: Tokens | undefined
  let verifier = ''
  let discovered: DiscoveryState | undefined
  let asked: URL | undefined
  const provider: FirstProvider & SecondProvider = {
    redirectUrl: redirectUri,
    ...(clientMetadataUrl === undefined ? {} : { clientMetadataUrl }),
    clientMetadata: {
      client_name: 'a test',
      redirect_uris: [redirectUri],
      grant_types: refreshes ? ['authorization_code', 'refresh_token'] : ['authorization_code'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
      application_type: 'native',
    },
    clientInformation: () => registration,
    saveClientInformation: (given: { client_id: string; client_secret?: string }) => {
      registration = given
    },
    tokens: () => tokens,
    saveTokens: (given: Tokens) => {
      tokens = given
    },
    redirectToAuthorization: (url: URL) => {
      asked = url
    },
    saveCodeVerifier: (given: string) => {
      verifier = given
    },
    codeVerifier: () => verifier,
    saveDiscoveryState: (given: DiscoveryState) => {
      discovered = given
    },
    discoveryState: () => discovered,
  }
  return {
    provider,
    askedAt: () => {
      if (asked === undefined) throw new Error('nobody was asked to sign in')
      return asked
    },
    spoilToken: () => {
      if (tokens !== undefined) tokens = { ...tokens, access_token: `${tokens.access_token}x` }
    },
  }
}

type DiscoveryState = StateOf<FirstProvider> & StateOf<SecondProvider>
type StateOf<Provider extends { saveDiscoveryState?(state: never): unknown }> = Parameters<
  NonNullable<Provider['saveDiscoveryState']>
>[0]

interface Tokens {
  access_token: string
  token_type: string
  scope?: string
  refresh_token?: string
  expires_in?: number
  id_token?: string
}
