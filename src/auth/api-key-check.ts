import { type BlockList, isIPv6 } from 'node:net'
import type { AddressDoubt, CallerAddress } from '../config/caller-address.ts'
import { Failure } from '../failure/failure.ts'
import { addressList } from '../store/api-key-order.ts'
import { keyHash } from '../store/api-key-secret.ts'
import type { ApiKeys } from '../store/api-keys.ts'
import type { ApiKey } from '../store/tables-api-keys.ts'
import type { Caller } from './caller.ts'
import { createCallerLookup } from './caller-lookup.ts'
import { displayName } from './display-name.ts'

export interface ApiKeyCheckOptions {
  readonly apiKeys: Pick<ApiKeys, 'findByHash'>
  /** The gateway, as the one who issued the key. */
  readonly issuer: string
  /** What a key without scopes of its own may do. */
  readonly allScopes: readonly string[]
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/** A key that was seen a moment ago is answered at once, or refused at once; otherwise there is a promise. */
export type ApiKeyCheck = (key: string, from: () => CallerAddress) => Caller | Promise<Caller>

/** Found under the SHA-256 of the whole key, so no comparison tells by its time how much of a guess was right. */
export function createApiKeyCheck(options: ApiKeyCheckOptions): ApiKeyCheck {
  const { apiKeys, now } = options
  const keys = createCallerLookup<KnownKey>({
    load: async (hash) => {
      const row = await apiKeys.findByHash(hash)
      return row === undefined ? undefined : known(row, options)
    },
    now,
  })
  return (key, from) => {
    const hash = keyHash(key)
    const recent = keys.recent(hash)
    if (recent !== undefined) return admit(recent.found, from, now())
    return keys.find(hash).then(({ found }) => admit(found, from, now()))
  }
}

interface KnownKey {
  readonly caller: Caller
  readonly isRevoked: boolean
  readonly addresses: BlockList | undefined
  /** Milliseconds since 1970. */
  readonly expiresAt: number
}

function known(row: ApiKey, { issuer, allScopes }: ApiKeyCheckOptions): KnownKey {
  const expiresAt = row.expires_at === null ? Infinity : row.expires_at / 1000
  const addresses = words(row.addresses)
  const name = row.name === row.principal ? undefined : displayName(row.name)
  return {
    caller: {
      principal: {
        issuer,
        subject: row.principal,
        ...(name === undefined ? {} : { name }),
        clientId: undefined,
        scopes: new Set(words(row.scopes) ?? allScopes),
        expiresAt: expiresAt / 1000,
        credential: { kind: 'api-key', id: row.id },
        dpopKeyThumbprint: undefined,
      },
      models: words(row.models),
    },
    isRevoked: row.revoked_at !== null,
    addresses: addresses === undefined ? undefined : addressList(addresses),
    expiresAt,
  }
}

function words(text: string | null): readonly string[] | undefined {
  return text === null ? undefined : text.split(' ').filter((word) => word !== '')
}

function admit(known: KnownKey | undefined, from: () => CallerAddress, now: number): Caller {
  if (known === undefined) throw refused('API key not valid', 'api_key_invalid')
  const { caller, isRevoked, addresses, expiresAt } = known
  if (isRevoked) throw refused('the API key has been revoked', 'api_key_revoked')
  if (now >= expiresAt) throw refused('the API key has expired', 'api_key_expired')
  if (addresses !== undefined) refuseOtherAddress(addresses, from())
  return caller
}

/** The address of a proxy must not pass for that of everybody behind it. */
function refuseOtherAddress(addresses: BlockList, { address, addressDoubt }: CallerAddress): void {
  if (addressDoubt !== undefined)
    throw new Failure('forbidden', doubts[addressDoubt], { reason: 'api_key_address_unknown' })
  if (!isWithin(addresses, address))
    throw new Failure('forbidden', 'this API key may not be used from this address', {
      reason: 'api_key_address_blocked',
    })
}

const restricted =
  'this API key may be used from some addresses only, and where the call comes from is unknown'

const doubts = {
  'untrusted-proxy': `${restricted}: the gateway stands behind a proxy that server.trustedProxies does not name`,
  'unnamed-caller': `${restricted}: X-Forwarded-For must name an address that is not one of server.trustedProxies`,
} as const satisfies Record<AddressDoubt, string>

/** A list of IPv4 ranges holds their mapped addresses too (`::ffff:10.0.0.1`, seen by a server on every address). */
function isWithin(addresses: BlockList, address: string): boolean {
  return addresses.check(address, isIPv6(address) ? 'ipv6' : 'ipv4')
}

function refused(message: string, reason: string): Failure {
  return new Failure('unauthenticated', message, { reason })
}
