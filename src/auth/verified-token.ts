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

export function credentialId(token: PresentedToken): string {
  return token.id.slice(0, 32)
}
