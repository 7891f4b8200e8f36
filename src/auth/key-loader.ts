import type { IssuerConfig } from './claims.ts'
import { discoverKeySetUrl } from './discovery.ts'
import type { JsonClient } from './json-client.ts'
import { readKeySet, type SigningKey } from './signing-key.ts'

export interface KeyLoaderOptions {
  readonly issuer: IssuerConfig
  readonly web: JsonClient
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/** Reads the keys of an issuer from where its metadata or the configuration says they are. */
export function createKeyLoader({
  issuer,
  web,
  now,
}: KeyLoaderOptions): () => Promise<readonly SigningKey[]> {
  let found: { readonly url: string; readonly at: number } | undefined
  return async () => {
    if (found === undefined || now() - found.at > metadataHoldsFor) {
      const url = issuer.jwksUri ?? (await discoverKeySetUrl(issuer.issuer, web))
      found = { url, at: now() }
    }
    const { url } = found
    try {
      const { status, body } = await web.send({ url })
      const keys = status === 200 ? readKeySet(body) : undefined
      if (keys === undefined) throw new Error(`${url} answered ${status} without a key set`)
      return keys
    } catch (cause) {
      found = undefined
      throw new Error(`the key set at ${url} could not be read`, { cause })
    }
  }
}

/** Where the keys are is asked again every hour, and after every failure. */
const metadataHoldsFor = 3_600_000
