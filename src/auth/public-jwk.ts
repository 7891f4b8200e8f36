import { isJsonObject, member } from './strict-json.ts'

/** A public key and nothing else: the members that RFC 7638 makes a thumbprint of. */
export type PublicJwk =
  | { readonly kty: 'RSA'; readonly n: string; readonly e: string }
  | { readonly kty: 'EC'; readonly crv: string; readonly x: string; readonly y: string }
  | { readonly kty: 'OKP'; readonly crv: string; readonly x: string }

/** Undefined for a symmetric key, for one that shows private parts, and for an RSA key made to be slow. */
export function publicJwk(value: unknown): PublicJwk | undefined {
  if (!isJsonObject(value) || privateMembers.some((name) => Object.hasOwn(value, name))) return undefined
  const text = (name: string): string => {
    const found = member(value, name)
    return typeof found === 'string' ? found : ''
  }
  const [kty, crv, x, y] = [text('kty'), text('crv'), text('x'), text('y')]
  const [n, e] = [text('n'), text('e')]
  if (kty === 'RSA' && isWithin(n, longestModulus) && isWithin(e, longestExponent)) return { kty, n, e }
  if (kty === 'EC' && isWithin(x, longestPoint) && isWithin(y, longestPoint)) return { kty, crv, x, y }
  if (kty === 'OKP' && isWithin(x, longestPoint)) return { kty, crv, x }
  return undefined
}

/** Each algorithm has one kind of key, so a key can never be used for another algorithm than it is made for. */
export function fitsAlgorithm(jwk: PublicJwk, algorithm: string): boolean {
  const wanted = keyKinds.get(algorithm)
  return wanted !== undefined && wanted === (jwk.kty === 'RSA' ? 'RSA' : `${jwk.kty} ${jwk.crv}`)
}

const keyKinds: ReadonlyMap<string, string> = new Map([
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'].map((name): [string, string] => [name, 'RSA']),
  ['ES256', 'EC P-256'],
  ['ES384', 'EC P-384'],
  ['ES512', 'EC P-521'],
  ['EdDSA', 'OKP Ed25519'],
  ['Ed25519', 'OKP Ed25519'],
])

const privateMembers = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k', 'priv']

/** In characters of base64url: 8192 bits, 64 bits and 521 bits. */
const longestModulus = 1366
const longestExponent = 11
const longestPoint = 88

function isWithin(text: string, most: number): boolean {
  return text !== '' && text.length <= most
}
