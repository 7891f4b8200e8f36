import { hash } from 'node:crypto'
import type { CallerAddress } from '../config/caller-address.ts'
import { Failure } from '../failure/failure.ts'
import type { Log } from '../log/log.ts'
import { createApiKeys } from '../store/api-keys.ts'
import { createServiceAccountLookup } from '../store/service-account-lookup.ts'
import type { Store } from '../store/store.ts'
import { createApiKeyCheck } from './api-key-check.ts'
import type { AuthRequest } from './authenticator.ts'
import type { Caller } from './caller.ts'
import { type CallerCredential, readCallerCredential } from './caller-credential.ts'
import { createIssuedCallers } from './caller-issued.ts'
import { createUseNotes } from './caller-use.ts'
import { type CompactJwt, parseCompactJwt } from './compact-jwt.ts'
import type { Issuers } from './issuers.ts'
import type { RevocationCheck } from './revocations.ts'
import { createSelfSignedCallers } from './self-signed-callers.ts'
import { createSelfSignedCheck } from './self-signed-check.ts'
import { badSelfSigned, isAccountEmail } from './self-signed-claims.ts'
import { member } from './strict-json.ts'

export interface CallerRequest extends AuthRequest {
  /** Asked only of keys that were made for some addresses. */
  readonly from: () => CallerAddress
}

export interface CallerAuthenticator {
  /**
   * A credential seen a moment ago is answered at once, without a promise. What can be refused at once is thrown, the rest
   * rejects: a Failure either way.
   */
  readonly authenticate: (request: CallerRequest) => Caller | Promise<Caller>
  /** Ends when the last use is noted. */
  readonly close: () => Promise<void>
}

export interface CallerOptions {
  /** `<publicUrl>/v1beta`: the audience that a token must have. */
  readonly resource: string
  readonly publicUrl: string
  readonly vendor: string
  readonly scopeBase: string
  /** Whether `?key=` is taken. */
  readonly keyInQuery: boolean
  /** Shared by all resources; whoever opened them closes them. */
  readonly issuers: Issuers
  readonly isRevoked: RevocationCheck
  readonly store: Store
  readonly log: Log
  /** Milliseconds since 1970. */
  readonly now?: () => number
}

/** One of three ways: an API key, an access token of a configured issuer, a token that a service account signed itself. */
export function createCallerAuthenticator({
  now = Date.now,
  ...options
}: CallerOptions): CallerAuthenticator {
  const { resource, publicUrl, store, log, isRevoked } = options
  const clock = (): number => Math.floor(now() * 1000)
  const apiKeys = createApiKeys(store, clock)
  const serviceAccounts = createServiceAccountLookup(store, clock)
  const wholeScope = `${options.scopeBase}/cloud-platform`
  const checkKey = createApiKeyCheck({ apiKeys, issuer: publicUrl, allScopes: [wholeScope], now })
  const issued = createIssuedCallers({ ...options, now })
  const selfSigned = createSelfSignedCallers({
    verify: createSelfSignedCheck({ serviceAccounts, issuer: publicUrl, wholeScope, now }),
    audiences: [publicUrl, resource],
    now,
  })
  const uses = createUseNotes({ log, now })
  const rules = { keyHeader: `x-${options.vendor}-api-key`, keyInQuery: options.keyInQuery }

  function byKey(
    { key, isInQuery }: CallerCredential & { kind: 'key' },
    from: CallerRequest['from'],
  ): Caller | Promise<Caller> {
    if (isInQuery) uses.warnOfQuery(rules.keyHeader)
    const found = checkKey(key, from)
    return found instanceof Promise ? found.then(keyUsed) : keyUsed(found)
  }

  function keyUsed(caller: Caller): Caller | Promise<Caller> {
    const admitted = unlessRevoked(caller, revokedKey)
    uses.note(apiKeys.touch(caller.principal.credential.id))
    return admitted
  }

  function byToken(
    credential: CallerCredential & { kind: 'token' },
    request: CallerRequest,
  ): Caller | Promise<Caller> {
    const { text, scheme } = credential
    const token = { text, id: hash('sha256', text) }
    if (issued.isKnown(token.id)) return issued.authenticate(token.id, credential, request)
    if (scheme === 'bearer') {
      const known = selfSigned.remembered(token.id, request)
      if (known !== undefined) return unlessRevoked(known, revokedAccount)
      const jwt = parseCompactJwt(text)
      if (jwt === undefined && !issued.takesOpaqueTokens) throw noToken()
      if (jwt !== undefined && isAccountEmail(member(jwt.claims, 'iss')))
        return bySelfSigned(token, jwt, request)
    }
    return issued.authenticate(token.id, credential, request)
  }

  async function bySelfSigned(
    token: { readonly text: string; readonly id: string },
    jwt: CompactJwt,
    request: CallerRequest,
  ): Promise<Caller> {
    const { caller } = await selfSigned.check(token, jwt, request)
    await unlessRevoked(caller, revokedAccount)
    uses.note(serviceAccounts.touch(caller.principal.credential.id))
    return caller
  }

  /** The store says it too, but what it said may be a second old. */
  function unlessRevoked(caller: Caller, refuse: () => Failure): Caller | Promise<Caller> {
    const revoked = isRevoked(caller.principal)
    if (revoked === false) return caller
    if (revoked === true) throw refuse()
    return revoked.then((isSo) => {
      if (isSo) throw refuse()
      return caller
    })
  }

  return {
    authenticate: (request) => {
      const credential = readCallerCredential(request, rules)
      return credential.kind === 'key' ? byKey(credential, request.from) : byToken(credential, request)
    },
    close: uses.settled,
  }
}

function revokedKey(): Failure {
  return new Failure('unauthenticated', 'the API key has been revoked', { reason: 'api_key_revoked' })
}

function revokedAccount(): Failure {
  return badSelfSigned('its key was revoked')
}

function noToken(): Failure {
  return new Failure('unauthenticated', 'the Authorization header holds no access token', {
    reason: 'token_type_unsupported',
  })
}
