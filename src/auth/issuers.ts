import type { Config } from '../config/config-schema.ts'
import type { Log } from '../log/log.ts'
import type { IssuerConfig } from './claims.ts'
import { createIntrospectionClient, type IntrospectionClient } from './introspection-client.ts'
import { createJsonClient } from './json-client.ts'
import { createKeyLoader } from './key-loader.ts'
import { createKeySet, type KeySet } from './key-set.ts'
import { noVerdict } from './refusal.ts'

/** One whose tokens are checked by its keys. */
export interface KeyedIssuer {
  readonly config: IssuerConfig
  readonly keys: KeySet
}

/** One that is asked about each token. */
export interface AskedIssuer {
  readonly config: IssuerConfig
  readonly ask: IntrospectionClient
  /** How long its answer holds. */
  readonly cacheSeconds: number
}

/** The configured issuers, for all resources together: keys are read once. Whom a token is for, each resource checks itself. */
export interface Issuers {
  readonly byKeys: readonly KeyedIssuer[]
  /** In the order in which they are asked. */
  readonly byQuestion: readonly AskedIssuer[]
  /** Fails while the keys of an issuer have never been read, and names it; reads those that are missing. */
  readonly checkKeys: () => Promise<void>
  readonly close: () => Promise<void>
}

export interface IssuersOptions {
  readonly issuers: Config['issuers']
  readonly log: Log
  /** Milliseconds since 1970. */
  readonly now?: () => number
}

/** Nobody is asked anything yet: keys are read when the first token comes, or the first `checkKeys`. */
export function openIssuers({ issuers, log, now = Date.now }: IssuersOptions): Issuers {
  const [web, strangersWeb] = [createJsonClient(), createJsonClient()]
  const byKeys = issuers
    .filter(({ validate }) => validate === 'jwt')
    .map((config) => {
      const load = createKeyLoader({ issuer: config, web, now })
      return { config, keys: createKeySet({ issuer: config.issuer, load, log, now }) }
    })
  const byQuestion = issuers
    .filter(({ validate }) => validate === 'introspection')
    .map((config) => ({
      config,
      ask: createIntrospectionClient({ issuer: config, web, strangersWeb, log, now }),
      cacheSeconds: config.introspection?.cacheSeconds ?? 0,
    }))

  return {
    byKeys,
    byQuestion,
    checkKeys: () => checkKeys(byKeys),
    close: async () => {
      for (const { keys } of byKeys) keys.close()
      await Promise.all([web.close(), strangersWeb.close()])
    },
  }
}

async function checkKeys(byKeys: readonly KeyedIssuer[]): Promise<void> {
  const all = byKeys.map(async ({ config, keys }) => ((await keys.isLoaded()) ? [] : [config.issuer]))
  const missing = (await Promise.all(all)).flat()
  if (missing.length > 0) throw noVerdict(`the keys of ${missing.join(', ')} have not been read yet`)
}
