import { hash } from 'node:crypto'
import { parseCompactJwt } from './compact-jwt.ts'
import type { Principal } from './principal.ts'

/** What is remembered of a token. */
export interface VerifiedToken {
  readonly principal: Principal
  /** Milliseconds since 1970; never after the token expires. */
  readonly until: number
  /** False once what vouched for the token does so no longer. */
  readonly isVouchedFor: () => boolean
}

/** A token as the one who presented it wrote it, and the SHA-256 of the whole of it in hex. */
export interface PresentedToken {
  readonly text: string
  readonly id: string
  /** The issuer that has vouched for this very token before; nobody else is asked about it again. */
  readonly vouchedBy?: string | undefined
}

/**
 * Of a JWT without its signature: whoever holds one can turn an ECDSA signature into another good one, and a token that
 * was revoked would come back under a new name.
 */
export function credentialId({ text, id }: PresentedToken): string {
  const isJwt = parseCompactJwt(text) !== undefined
  return (isJwt ? hash('sha256', text.slice(0, text.lastIndexOf('.'))) : id).slice(0, 32)
}
