import { ClientError } from '../client-error.ts'
import type { RequestHeaders } from '../json-request.ts'
import type { ModelClientOptions } from './model-client-options.ts'
import type { Resolution } from './resolve-credential.ts'

/** Puts the credential on a call. */
export interface Identity {
  readonly fetch: typeof globalThis.fetch
  /** Asked before each call, whose address it gets. */
  readonly headers: (url: URL, signal?: AbortSignal) => Promise<RequestHeaders>
}

/** Application Default Credentials, where there are any. */
export type DefaultCredentials = (order: DefaultCredentialsOrder) => Identity['headers']

export interface DefaultCredentialsOrder {
  readonly project: string | undefined
  readonly scopes: readonly string[]
  /** Whether the calls go to Google because nobody named another server. */
  readonly isDefaultUrl: boolean
}

export function identityOf(
  { credential, place }: Resolution,
  options: ModelClientOptions,
  defaultCredentials: DefaultCredentials,
): Identity {
  const { fetch = globalThis.fetch, vendor = 'goog' } = options
  switch (credential.kind) {
    case 'api-key': {
      const headers = { [`x-${vendorWord(vendor)}-api-key`]: credential.apiKey }
      return { fetch, headers: async () => headers }
    }
    case 'access-token': {
      const { accessToken } = credential
      return {
        fetch,
        headers: async () => bearer(typeof accessToken === 'function' ? await accessToken() : accessToken),
      }
    }
    case 'oauth': {
      const { oauth } = credential
      const headers = async (_url: URL, signal?: AbortSignal): Promise<RequestHeaders> => {
        // This API answers a call without a token with 403, which asks nobody to sign in.
        await oauth.token(signal === undefined ? {} : { signal })
        return {}
      }
      return { fetch: oauth.fetch, headers }
    }
    case 'default-credentials': {
      const { scopes = ['https://www.googleapis.com/auth/cloud-platform'] } = options
      const { project, isDefaultUrl } = place
      return { fetch, headers: defaultCredentials({ project, scopes, isDefaultUrl }) }
    }
  }
}

function bearer(accessToken: string): RequestHeaders {
  const token = accessToken.trim()
  if (!/^[\x21-\x7e]+$/.test(token))
    throw new ClientError('invalid_option', 'the access token is empty, or has characters that no token has')
  return { authorization: `Bearer ${token}` }
}

function vendorWord(vendor: string): string {
  if (/^[a-z0-9-]+$/i.test(vendor)) return vendor.toLowerCase()
  throw new ClientError('invalid_option', 'vendor must be a word of letters, digits and -')
}
