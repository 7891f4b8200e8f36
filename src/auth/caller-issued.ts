import type { IncomingHttpHeaders } from 'node:http'
import { Failure } from '../failure/failure.ts'
import { type AuthenticatorOptions, type AuthRequest, createAuthenticator } from './authenticator.ts'
import { createBoundedMemory } from './bounded-memory.ts'
import type { Caller } from './caller.ts'
import type { CallerCredential } from './caller-credential.ts'
import type { Principal } from './principal.ts'
import { isExpiry } from './refusal.ts'

/** Callers with an access token of a configured issuer. */
export interface IssuedCallers {
  /** Whether this token was accepted before, so that nobody need look into it to know its kind. */
  readonly isKnown: (tokenId: string) => boolean
  readonly authenticate: (
    tokenId: string,
    credential: CallerCredential & { kind: 'token' },
    request: AuthRequest,
  ) => Caller | Promise<Caller>
  /** Whether an issuer is asked about tokens that are not JWTs. */
  readonly takesOpaqueTokens: boolean
}

export function createIssuedCallers(options: AuthenticatorOptions): IssuedCallers {
  const tokens = createAuthenticator(options)
  const accepted = createBoundedMemory<true>(mostRemembered)

  return {
    isKnown: (tokenId) => accepted.get(tokenId) === true,
    authenticate: (tokenId, credential, request) => {
      try {
        const found = tokens.authenticate(onlyToken(credential, request))
        if (!(found instanceof Promise)) return unlimited(found)
        return found.then((principal) => {
          accepted.set(tokenId, true)
          return unlimited(principal)
        }, refuse)
      } catch (error) {
        return refuse(error)
      }
    },
    takesOpaqueTokens: options.issuers.byQuestion.length > 0,
  }
}

const mostRemembered = 10_000

/** The request with this one credential: what else it carries has been judged. */
function onlyToken(
  { scheme, header }: CallerCredential & { kind: 'token' },
  { method, url, headers: { dpop }, rawHeaders, isSecondLook }: AuthRequest,
): AuthRequest {
  const headers: IncomingHttpHeaders = { authorization: header }
  if (scheme === 'bearer') return { method, url, headers, rawHeaders: [], query: '' }
  return {
    method,
    url,
    headers: dpop === undefined ? headers : { ...headers, dpop },
    rawHeaders: proofs(rawHeaders),
    query: '',
    isSecondLook,
  }
}

/** Repeated ones too: there must be one. */
function proofs(rawHeaders: readonly string[]): readonly string[] {
  return rawHeaders.filter((_, index) => rawHeaders[index - (index % 2)]?.toLowerCase() === 'dpop')
}

function unlimited(principal: Principal): Caller {
  return { principal, models: undefined }
}

/** This API tells a token that has expired from one that was never good. */
function refuse(error: unknown): never {
  if (!(error instanceof Failure) || error.reason !== 'invalid_token') throw error
  const reason = isExpiry(error) ? 'token_expired' : 'token_invalid'
  throw new Failure('unauthenticated', error.message, { reason, cause: error })
}
