import type { IdentityOptions } from './client-identity.ts'
import type { OAuthOptions } from './oauth-options.ts'
import { safeUrl } from './safe-url.ts'
import { serverFetch } from './server-fetch.ts'

/** The options with every default in place. */
export interface Settings
  extends IdentityOptions,
    Pick<OAuthOptions, 'redirect' | 'issuer' | 'scopes' | 'mayAsk'> {
  readonly resource: URL
  /** The resource as the key of what is stored for it. */
  readonly key: string
  /** For calls of the resource; `fetch` is for documents and tokens. */
  readonly callFetch: typeof globalThis.fetch
  readonly signInTimeoutMs: number
}

export function settingsOf(options: OAuthOptions): Settings {
  const callFetch = options.fetch ?? globalThis.fetch
  const resource = safeUrl(options.resource, { what: 'the resource', mayBeLocal: true })
  if (options.clientMetadataUrl !== undefined)
    safeUrl(options.clientMetadataUrl, { what: 'clientMetadataUrl', mayBeLocal: true })
  return {
    ...options,
    resource,
    key: resource.href.replace(/\/$/, ''),
    callFetch,
    fetch: serverFetch(callFetch),
    now: options.now ?? Date.now,
    onEvent: options.onEvent ?? (() => {}),
    signInTimeoutMs: options.signInTimeoutMs ?? 600_000,
  }
}
