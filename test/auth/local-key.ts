import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { noteSecret } from '../records/secret-search-notes.ts'

export type LocalAlgorithm = 'ES256' | 'RS256' | 'PS256' | 'EdDSA'

/** A key pair of an issuer or of a client, and raw signatures with it: any header, any claims, well-formed or not. */
export interface LocalKey {
  readonly kid: string
  readonly algorithm: LocalAlgorithm
  readonly publicKey: KeyObject
  readonly privateKey: KeyObject
  /** The bare public key; `publicJwk` of a key set adds `kid`, `alg` and `use`. */
  readonly bareJwk: Readonly<Record<string, unknown>>
  readonly publicJwk: Readonly<Record<string, unknown>>
  readonly signature: (input: string) => string
  readonly token: (header: object | string, claims: object | string) => string
}

let made = 0

export function createLocalKey(algorithm: LocalAlgorithm = 'ES256', name?: string): LocalKey {
  made += 1
  const kid = name ?? `key-${made}`
  const { publicKey, privateKey } = pairs[algorithm]()
  const bareJwk = { ...publicKey.export({ format: 'jwk' }) }
  const signature = (input: string): string =>
    sign(algorithm === 'EdDSA' ? null : 'sha256', Buffer.from(input), {
      key: privateKey,
      dsaEncoding: 'ieee-p1363',
      ...(algorithm === 'PS256' ? { padding: pssPadding, saltLength: 32 } : {}),
    }).toString('base64url')
  return {
    kid,
    algorithm,
    publicKey,
    privateKey,
    bareJwk,
    publicJwk: { ...bareJwk, kid, alg: algorithm, use: 'sig' },
    signature,
    token: (header, claims) => {
      const input = `${base64url(header)}.${base64url(claims)}`
      const token = `${input}.${signature(input)}`
      noteSecret('a token of a test', token)
      return token
    },
  }
}

export function base64url(value: object | string): string {
  return Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url')
}

/** RSA_PKCS1_PSS_PADDING. */
const pssPadding = 6

const pairs = {
  ES256: () => generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  RS256: () => generateKeyPairSync('rsa', { modulusLength: 2048 }),
  PS256: () => generateKeyPairSync('rsa', { modulusLength: 2048 }),
  EdDSA: () => generateKeyPairSync('ed25519'),
} satisfies Record<LocalAlgorithm, () => { publicKey: KeyObject; privateKey: KeyObject }>
