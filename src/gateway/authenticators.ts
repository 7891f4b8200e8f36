import { type Authenticator, createAuthenticator } from '../auth/authenticator.ts'
import { type CallerAuthenticator, createCallerAuthenticator } from '../auth/caller-authenticator.ts'
import { openIssuers } from '../auth/issuers.ts'
import { openRevocations } from '../auth/revocations.ts'
import type { Config } from '../config/config-schema.ts'
import type { Log } from '../log/log.ts'
import type { Store } from '../store/store.ts'

/** Who checks the callers of each surface: one audience each, the issuers and the revocations in common. */
export interface Authenticators {
  readonly tools: Authenticator
  readonly models: CallerAuthenticator
  readonly api: Authenticator
  /** Fails while the keys of an issuer have never been read, and names it. */
  readonly checkKeys: () => Promise<void>
  readonly close: () => Promise<void>
}

export interface AuthenticatorParts {
  readonly config: Config
  readonly store: Store
  readonly log: Log
}

export function openAuthenticators({ config, store, log }: AuthenticatorParts): Authenticators {
  const { publicUrl } = config.server
  const issuers = openIssuers({ issuers: config.issuers, log })
  const revocations = openRevocations({ store, log })
  const parts = { issuers, isRevoked: revocations.isRevoked }
  const models = createCallerAuthenticator({
    ...parts,
    resource: resourceOf(config, 'v1beta'),
    publicUrl,
    vendor: config.vendor,
    scopeBase: config.scopeBase,
    keyInQuery: config.apiKeys.inQuery,
    store,
    log,
  })
  return {
    tools: createAuthenticator({ ...parts, resource: resourceOf(config, 'mcp') }),
    models,
    api: createAuthenticator({ ...parts, resource: resourceOf(config, 'api') }),
    checkKeys: issuers.checkKeys,
    close: async () => {
      await Promise.all([issuers.close(), revocations.close(), models.close()])
    },
  }
}

/** The identifier under which tokens for a surface are issued. */
export function resourceOf({ server }: Config, surface: 'mcp' | 'v1beta' | 'api'): string {
  return `${server.publicUrl}/${surface}`
}
