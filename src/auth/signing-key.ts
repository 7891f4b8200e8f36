import { type CryptoKey, importJWK } from 'jose'
import type { JwtHeader } from './jwt-header.ts'
import { fitsAlgorithm, type PublicJwk, publicJwk } from './public-jwk.ts'
import { isJsonObject, type JsonObject, member } from './strict-json.ts'

/** A key of an issuer. `isCurrent` turns false once the issuer has taken it back. */
export interface SigningKey {
  readonly identity: string
  readonly matches: (header: JwtHeader) => boolean
  readonly imported: (algorithm: string) => Promise<CryptoKey>
  isCurrent: boolean
}

/** The usable keys of a JWK Set (RFC 7517); undefined when it is none. Keys of kinds we do not know are passed over. */
export function readKeySet(document: JsonObject | undefined): readonly SigningKey[] | undefined {
  const keys = document === undefined ? undefined : member(document, 'keys')
  if (!Array.isArray(keys) || keys.length > mostKeys) return undefined
  return keys.flatMap((key: unknown) => readSigningKey(key) ?? [])
}

const mostKeys = 200

function readSigningKey(value: unknown): SigningKey | undefined {
  const jwk = publicJwk(value)
  if (jwk === undefined || !isJsonObject(value) || !isForSignatures(value)) return undefined
  const [kid, alg] = [member(value, 'kid'), member(value, 'alg')]
  const imported = new Map<string, Promise<CryptoKey>>()
  return {
    identity: JSON.stringify([kid, alg, jwk]),
    matches: (header) =>
      (header.kid === undefined || header.kid === kid) &&
      (alg === undefined || alg === header.alg || isEdwards(alg, header.alg)) &&
      fitsAlgorithm(jwk, header.alg),
    imported: (algorithm) => {
      const key = imported.get(algorithm) ?? importPublicKey(jwk, algorithm)
      imported.set(algorithm, key)
      return key
    },
    isCurrent: true,
  }
}

function isForSignatures(jwk: JsonObject): boolean {
  const [use, operations] = [member(jwk, 'use'), member(jwk, 'key_ops')]
  const mayVerify = operations === undefined || (Array.isArray(operations) && operations.includes('verify'))
  return (use === undefined || use === 'sig') && mayVerify
}

/** Two names of one algorithm: RFC 9864 gave EdDSA over Ed25519 a name of its own. */
function isEdwards(one: unknown, other: string): boolean {
  return [one, other].every((name) => name === 'EdDSA' || name === 'Ed25519')
}

export async function importPublicKey(jwk: PublicJwk, algorithm: string): Promise<CryptoKey> {
  const key = await importJWK({ ...jwk }, algorithm)
  if (key instanceof Uint8Array) throw new Error('a symmetric key cannot verify a token')
  return key
}
