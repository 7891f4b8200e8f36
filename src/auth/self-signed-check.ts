import { compactVerify } from 'jose'
import { Failure } from '../failure/failure.ts'
import { type ServiceAccountLookup, scopesOf, type ValidKey } from '../store/service-account-lookup.ts'
import type { ServiceAccount } from '../store/tables-service-accounts.ts'
import { type CallerLookup, createCallerLookup, recentForMs } from './caller-lookup.ts'
import type { CompactJwt } from './compact-jwt.ts'
import { type JwtHeader, readJwtHeader } from './jwt-header.ts'
import type { Principal } from './principal.ts'
import { badSelfSigned, readSelfSignedClaims, type SelfSignedClaims } from './self-signed-claims.ts'
import type { JsonObject } from './strict-json.ts'
import type { PresentedToken } from './verified-token.ts'

export interface SelfSignedOptions {
  readonly serviceAccounts: Pick<ServiceAccountLookup, 'findByEmail' | 'validKeys'>
  /** The gateway, in whose name it accepts the account. */
  readonly issuer: string
  /** Whoever asks for this scope asks for everything that the account may do: Google's clients know no other. */
  readonly wholeScope: string
  /** Milliseconds since 1970. */
  readonly now: () => number
}

export interface SelfSigned {
  /** Its credential is the key of the account that signed. */
  readonly principal: Principal
  /** What the token is for; undefined when it names scopes in its place. */
  readonly audience: string | undefined
  /** The moments between which it need not be checked again, in milliseconds since 1970. */
  readonly since: number
  readonly until: number
}

export type SelfSignedCheck = (token: PresentedToken, jwt: CompactJwt) => Promise<SelfSigned>

/** A JWT that a service account signed for itself (AIP-4111): no token endpoint is needed. Its audience is left to check. */
export function createSelfSignedCheck(options: SelfSignedOptions): SelfSignedCheck {
  const { now, issuer } = options
  const accounts = accountLookup(options)
  return async (token, jwt) => {
    const header = readHeader(jwt.header)
    const claims = readSelfSignedClaims(jwt.claims, now())
    const { found, at } = accounts.recent(claims.email) ?? (await accounts.find(claims.email))
    if (found === undefined || found.account.disabled_at !== null)
      throw badSelfSigned('its account is not known here')
    const { kid } = await findSigner(token.text, header, found.keys)
    return {
      principal: {
        issuer,
        subject: found.account.email,
        clientId: found.account.email,
        scopes: grantedScopes(claims, scopesOf(found.account), options.wholeScope),
        expiresAt: claims.expiresAt,
        credential: { kind: 'service-account', id: kid },
        dpopKeyThumbprint: undefined,
      },
      audience: claims.audience,
      since: at,
      until: Math.min(claims.expiresAt * 1000, at + recentForMs),
    }
  }
}

function readHeader(header: JsonObject): JwtHeader {
  try {
    return readJwtHeader(header, ['RS256'])
  } catch (cause) {
    throw badSelfSigned('its header is not that of a self-signed token: RS256, a key id, nothing else', cause)
  }
}

interface AccountKeys {
  readonly account: ServiceAccount
  readonly keys: readonly ValidKey[]
}

/** Many tokens of one account, or many guesses at one, ask the store once a second. */
function accountLookup({ serviceAccounts, now }: SelfSignedOptions): CallerLookup<AccountKeys> {
  return createCallerLookup<AccountKeys>({
    load: async (email) => {
      const account = await serviceAccounts.findByEmail(email)
      return account === undefined
        ? undefined
        : { account, keys: await serviceAccounts.validKeys(account.id) }
    },
    now,
  })
}

async function findSigner(
  token: string,
  { alg, kid }: JwtHeader,
  keys: readonly ValidKey[],
): Promise<ValidKey> {
  for (const key of keys) {
    if (kid !== undefined && key.kid !== kid) continue
    try {
      await compactVerify(token, key.publicKey, { algorithms: [alg] })
      return key
    } catch {}
  }
  throw badSelfSigned('its signature is of no key that the account has')
}

function grantedScopes(
  { scopes }: SelfSignedClaims,
  most: readonly string[],
  wholeScope: string,
): ReadonlySet<string> {
  if (scopes === undefined || scopes.includes(wholeScope)) return new Set(most)
  const granted = scopes.filter((scope) => most.includes(scope))
  if (granted.length > 0) return new Set(granted)
  throw new Failure('forbidden', 'the service account has none of the scopes that its token asks for', {
    reason: 'insufficient_scope',
  })
}
