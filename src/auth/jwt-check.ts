import { compactVerify } from 'jose'
import { readClaims } from './claims.ts'
import type { CompactJwt } from './compact-jwt.ts'
import type { KeyedIssuer } from './issuers.ts'
import { type JwtHeader, readJwtHeader, refuseOtherTokens } from './jwt-header.ts'
import type { KeySet } from './key-set.ts'
import { refusal } from './refusal.ts'
import type { SigningKey } from './signing-key.ts'
import { member } from './strict-json.ts'
import { credentialId, type PresentedToken, type VerifiedToken } from './verified-token.ts'

export type JwtCheck = (token: PresentedToken, jwt: CompactJwt) => Promise<VerifiedToken>

export interface JwtCheckOptions {
  readonly issuer: KeyedIssuer
  /** In its canonical spelling. */
  readonly resource: string
  readonly now: () => number
}

/** Checks the access tokens of one issuer for one resource by the issuer's keys (RFC 9068). */
export function createJwtCheck({ issuer: { config, keys }, resource, now }: JwtCheckOptions): JwtCheck {
  return async (token, jwt) => {
    const header = readJwtHeader(jwt.header, config.algorithms)
    if (member(jwt.claims, 'iss') !== config.issuer) throw refusal('the access token is of another issuer')
    const read = (): ReturnType<typeof readClaims> =>
      readClaims(jwt.claims, { issuer: config, resource, now: now() })
    // What can be refused without a key is: nobody makes us ask the issuer with a token that is no good anyway.
    read()
    refuseOtherTokens(jwt.header, jwt.claims)
    const key = await findSigner(token.text, header, keys)
    const claims = read()
    return {
      principal: { ...claims, credential: { kind: 'jwt', id: credentialId(token) } },
      until: claims.expiresAt * 1000,
      isVouchedFor: () => key.isCurrent && keys.isFresh(),
    }
  }
}

const badSignature = 'the signature of the access token does not hold'

async function findSigner(token: string, header: JwtHeader, keySet: KeySet): Promise<SigningKey> {
  const held = await keySet.find(header)
  const signer = await firstSigner(token, header, held)
  if (signer !== undefined) return signer
  if (header.kid !== undefined) throw refusal(badSignature)
  // Without a key id only a failed signature shows that the issuer may have a new key.
  const newer = await firstSigner(token, header, await keySet.find(header, held))
  if (newer === undefined) throw refusal(badSignature)
  return newer
}

async function firstSigner(
  token: string,
  { alg }: JwtHeader,
  keys: readonly SigningKey[],
): Promise<SigningKey | undefined> {
  if (keys.length > mostCandidates)
    throw refusal('the access token must name its key: too many could be meant')
  for (const key of keys) {
    try {
      await compactVerify(token, await key.imported(alg), { algorithms: [alg] })
      return key
    } catch {}
  }
  return undefined
}

const mostCandidates = 8
