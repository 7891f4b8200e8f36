import { hash } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import type { Failure } from '../failure/failure.ts'
import { createBoundedMemory } from './bounded-memory.ts'
import { type Credential, readCredential } from './credential.ts'
import { createProofCheck } from './dpop-proof.ts'
import type { Issuers } from './issuers.ts'
import type { Principal } from './principal.ts'
import { refusal } from './refusal.ts'
import { canonicalResource } from './resource-identifier.ts'
import type { RevocationCheck } from './revocations.ts'
import { createTokenCheck } from './token-check.ts'
import type { PresentedToken, VerifiedToken } from './verified-token.ts'

export interface AuthRequest {
  readonly method: string
  /** Absolute, and of our own resource: never made from what the caller says about itself. */
  readonly url: string
  readonly headers: IncomingHttpHeaders
  readonly rawHeaders: readonly string[]
  /** The query string, with or without `?`. */
  readonly query: string
  /** The request was let in before: its proof, which is good once, was taken then. */
  readonly isSecondLook?: boolean | undefined
}

export interface Authenticator {
  /** A remembered token is answered at once, without a promise. */
  readonly authenticate: (request: AuthRequest) => Principal | Promise<Principal>
}

export interface AuthenticatorOptions {
  /** Our resource identifier: the audience that a token must have. */
  readonly resource: string
  /** Shared by all resources; whoever opened them closes them. */
  readonly issuers: Issuers
  readonly isRevoked: RevocationCheck
  /** Milliseconds since 1970. */
  readonly now?: () => number
}

/** Tells who is calling, or fails: `unauthenticated`, or `unavailable` when no issuer could be asked. */
export function createAuthenticator({
  issuers,
  isRevoked,
  now = Date.now,
  ...options
}: AuthenticatorOptions): Authenticator {
  const resource = canonicalResource(options.resource)
  const checkToken = createTokenCheck({ resource, issuers, now })
  const checkProof = createProofCheck(now)
  const remembered = createBoundedMemory<VerifiedToken>(mostRemembered)
  const underWay = new Map<string, Promise<VerifiedToken>>()

  function authenticate(request: AuthRequest): Principal | Promise<Principal> {
    const credential = readCredential(request)
    const id = hash('sha256', credential.token)
    const known = remembered.get(id)
    if (known !== undefined && now() < known.until && known.isVouchedFor()) {
      return admit(known.principal, credential, request)
    }
    const vouchedBy = known?.principal.issuer
    return verifyFirst({ text: credential.token, id, vouchedBy }, credential, request)
  }

  async function verifyFirst(
    token: PresentedToken,
    credential: Credential,
    request: AuthRequest,
  ): Promise<Principal> {
    const { principal } = await verifyOnce(token)
    return admit(principal, credential, request)
  }

  /** Calls that present the same token at the same time share one verification. */
  function verifyOnce(token: PresentedToken): Promise<VerifiedToken> {
    const started = underWay.get(token.id) ?? verify(token)
    underWay.set(token.id, started)
    return started
  }

  async function verify(token: PresentedToken): Promise<VerifiedToken> {
    try {
      const verified = await checkToken(token)
      // Also when it is of no use any more: who vouched for it is worth knowing.
      remembered.set(token.id, verified)
      return verified
    } finally {
      underWay.delete(token.id)
    }
  }

  /** Asked for remembered tokens as well: a revocation ends what was good a moment ago. */
  function admit(
    principal: Principal,
    credential: Credential,
    request: AuthRequest,
  ): Principal | Promise<Principal> {
    const revoked = isRevoked(principal)
    if (revoked === false) return prove(principal, credential, request)
    if (revoked === true) throw revocation()
    return revoked.then((isSo) => {
      if (isSo) throw revocation()
      return prove(principal, credential, request)
    })
  }

  /** A bound token is worth nothing without its proof, and a proof nothing to a token that is not bound. */
  function prove(
    principal: Principal,
    credential: Credential,
    request: AuthRequest,
  ): Principal | Promise<Principal> {
    const thumbprint = principal.dpopKeyThumbprint
    if (thumbprint === undefined && credential.scheme === 'bearer') return principal
    if (thumbprint === undefined) throw refusal('the access token is not bound to a key; send it as Bearer')
    if (credential.scheme === 'bearer')
      throw refusal('the access token is bound to a key; send it as DPoP, with a proof')
    if (request.isSecondLook === true) return principal
    return checkProof(request, { text: credential.token, thumbprint }).then(() => principal)
  }

  return { authenticate }
}

const mostRemembered = 10_000

function revocation(): Failure {
  return refusal('the access token was revoked')
}
