import * as oauth from 'oauth4webapi'
import { ClientError } from '../client-error.ts'
import { step } from './oauth-failure.ts'
import { safeUrl } from './safe-url.ts'

export type ServerMetadata = oauth.AuthorizationServer

export interface ServerQuestion {
  readonly issuer: string
  /** Whether the issuer may be on this machine. */
  readonly mayBeLocal: boolean
  readonly fetch: typeof globalThis.fetch
}

/** The document of an authorization server: RFC 8414 first, then OpenID's two places for it. */
export async function readServerMetadata({
  issuer,
  mayBeLocal,
  fetch,
}: ServerQuestion): Promise<ServerMetadata> {
  const url = safeUrl(issuer, { what: 'the authorization server', mayBeLocal })
  for (const place of placesOf(url)) {
    const response = await fetch(place, { headers: { accept: 'application/json' } })
    if (response.status === 200) return checked(await parse(url, response), { issuer, mayBeLocal })
  }
  throw new ClientError(
    'no_server_metadata',
    `${url.href} publishes no metadata: ask its operator for the right issuer URL`,
  )
}

/** Requests to these go over plain http only on this machine, which `safeUrl` has made sure of. */
export function requestOptions(fetch: typeof globalThis.fetch): {
  [oauth.allowInsecureRequests]: boolean
  [oauth.customFetch]: (url: string, init: oauth.CustomFetchOptions<string, unknown>) => Promise<Response>
} {
  return {
    [oauth.allowInsecureRequests]: true,
    [oauth.customFetch]: (url, { method, headers, body }) =>
      fetch(url, {
        method,
        headers,
        ...(typeof body === 'string' || body instanceof URLSearchParams ? { body } : {}),
      }),
  }
}

function placesOf(issuer: URL): readonly URL[] {
  const path = issuer.pathname.replace(/\/$/, '')
  const places = [
    `/.well-known/oauth-authorization-server${path}`,
    `/.well-known/openid-configuration${path}`,
    `${path}/.well-known/openid-configuration`,
  ]
  return [...new Set(places)].map((place) => new URL(place, issuer))
}

async function parse(issuer: URL, response: Response): Promise<ServerMetadata> {
  const invalid = { code: 'invalid_metadata', message: `the metadata of ${issuer.href} cannot be read` }
  return step(invalid, async () => {
    try {
      return await oauth.processDiscoveryResponse(issuer, response)
    } catch (cause) {
      if (!(cause instanceof oauth.OperationProcessingError)) throw cause
      if (cause.code !== oauth.JSON_ATTRIBUTE_COMPARISON) throw cause
      const message = `the metadata of ${issuer.href} names another issuer: it is misconfigured, or not who it says`
      throw new ClientError('issuer_mismatch', message, { cause })
    }
  })
}

type Origin = Pick<ServerQuestion, 'issuer' | 'mayBeLocal'>

function checked(server: ServerMetadata, { issuer, mayBeLocal }: Origin): ServerMetadata {
  for (const endpoint of endpoints) {
    const url: unknown = server[endpoint]
    if (url === undefined) continue
    safeUrl(typeof url === 'string' ? url : '', { what: `the ${endpoint} of ${issuer}`, mayBeLocal })
  }
  return server
}

const endpoints = [
  'authorization_endpoint',
  'token_endpoint',
  'registration_endpoint',
  'revocation_endpoint',
] as const
