import { type Authenticator, createAuthenticator } from '../../src/auth/authenticator.ts'
import { openIssuers } from '../../src/auth/issuers.ts'
import type { RevocationCheck } from '../../src/auth/revocations.ts'
import type { Config } from '../../src/config/config-schema.ts'
import type { Log } from '../../src/log/log.ts'

/** An authenticator with issuers of its own. */
export interface LocalAuthenticator extends Authenticator {
  readonly checkKeys: () => Promise<void>
  readonly close: () => Promise<void>
}

export interface LocalAuthenticatorOptions {
  readonly resource: string
  readonly issuers: Config['issuers']
  readonly log: Log
  readonly now?: () => number
  /** Nothing is, unless told. */
  readonly isRevoked?: RevocationCheck
}

export function openAuthenticator({
  resource,
  isRevoked = () => false,
  ...options
}: LocalAuthenticatorOptions): LocalAuthenticator {
  const issuers = openIssuers(options)
  const { now = Date.now } = options
  const { authenticate } = createAuthenticator({ resource, issuers, isRevoked, now })
  return { authenticate, checkKeys: issuers.checkKeys, close: issuers.close }
}
