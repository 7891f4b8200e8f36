import * as oauth from 'oauth4webapi'
import type { Config } from '../config/config-schema.ts'
import { Failure } from '../failure/failure.ts'

export type UpstreamConfig = NonNullable<Config['authority']['upstream']>

/** What the upstream says of itself, read again every ten minutes. */
export function cachedMetadata(config: UpstreamConfig): () => Promise<oauth.AuthorizationServer> {
  let known: { readonly server: oauth.AuthorizationServer; readonly readAt: number } | undefined
  return async () => {
    if (known !== undefined && performance.now() - known.readAt < metadataLifeMs) return known.server
    const issuer = new URL(config.issuer)
    const response = await oauth.discoveryRequest(issuer, { ...callOptions(config), algorithm: 'oidc' })
    const server = await oauth.processDiscoveryResponse(issuer, response)
    known = { server, readAt: performance.now() }
    return server
  }
}

export async function reach<Value>(work: () => Promise<Value>): Promise<Value> {
  try {
    return await work()
  } catch (cause) {
    throw new Failure('unavailable', 'the upstream cannot be reached', { cause })
  }
}

/** Plain http is for a loopback issuer; the configuration refuses it elsewhere. */
export function callOptions({ issuer }: UpstreamConfig): {
  [oauth.allowInsecureRequests]: boolean
  readonly signal: () => AbortSignal
} {
  return {
    [oauth.allowInsecureRequests]: new URL(issuer).protocol === 'http:',
    signal: () => AbortSignal.timeout(callTimeoutMs),
  }
}

const callTimeoutMs = 10_000
const metadataLifeMs = 600_000
