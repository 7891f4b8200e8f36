import type { AuthRequest } from '../../src/auth/authenticator.ts'
import type { LocalIssuer } from './local-issuer.ts'

export type HostileCall = readonly [title: string, call: AuthRequest]

/** What an attacker holds: the issuer's public key, good tokens for others, and keys of his own. */
export interface HostileSource {
  readonly issuer: LocalIssuer
  readonly rsaIssuer: LocalIssuer
  readonly sibling: LocalIssuer
}
