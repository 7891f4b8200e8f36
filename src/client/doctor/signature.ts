import type { JsonObject } from '../wire-reader.ts'

/** How WebCrypto is told of an algorithm of RFC 7518, and the kind of key that it needs. */
interface Recipe {
  readonly kind: string
  readonly import: { readonly name: string; readonly hash?: string; readonly namedCurve?: string }
  readonly verify: { readonly name: string; readonly hash?: string; readonly saltLength?: number }
}

/** The algorithms that a public key can check; one at most where the key says so itself. */
export function algorithmsOf(jwk: JsonObject): readonly string[] {
  const kind = jwk.kty === 'RSA' ? 'RSA' : `${String(jwk.kty)} ${String(jwk.crv)}`
  const fitting = [...recipes].filter(([, recipe]) => recipe.kind === kind).map(([name]) => name)
  return typeof jwk.alg === 'string' ? fitting.filter((name) => name === jwk.alg) : fitting
}

export interface Signed {
  readonly algorithm: string
  readonly content: string
  readonly signature: Uint8Array<ArrayBuffer>
}

/** Whether this key made the signature. */
export async function isSignedBy(
  jwk: JsonObject,
  { algorithm, content, signature }: Signed,
): Promise<boolean> {
  const recipe = recipes.get(algorithm)
  if (recipe === undefined || !algorithmsOf(jwk).includes(algorithm)) return false
  const { kty, crv, n, e, x, y } = jwk
  const material = Object.entries({ kty, crv, n, e, x, y }).filter(([, value]) => typeof value === 'string')
  try {
    const key = await crypto.subtle.importKey('jwk', Object.fromEntries(material), recipe.import, false, [
      'verify',
    ])
    return await crypto.subtle.verify(recipe.verify, key, signature, new TextEncoder().encode(content))
  } catch {
    // A key that cannot be read has signed nothing.
    return false
  }
}

const sizes = ['256', '384', '512'] as const
const curves = { '256': 'P-256', '384': 'P-384', '512': 'P-521' } as const

const recipes: ReadonlyMap<string, Recipe> = new Map<string, Recipe>([
  ...sizes.map((size): [string, Recipe] => {
    const name = 'RSASSA-PKCS1-v1_5'
    return [`RS${size}`, { kind: 'RSA', import: { name, hash: `SHA-${size}` }, verify: { name } }]
  }),
  ...sizes.map((size): [string, Recipe] => {
    const name = 'RSA-PSS'
    const verify = { name, saltLength: Number(size) / 8 }
    return [`PS${size}`, { kind: 'RSA', import: { name, hash: `SHA-${size}` }, verify }]
  }),
  ...sizes.map((size): [string, Recipe] => {
    const [name, namedCurve] = ['ECDSA', curves[size]]
    const verify = { name, hash: `SHA-${size}` }
    return [`ES${size}`, { kind: `EC ${namedCurve}`, import: { name, namedCurve }, verify }]
  }),
  ...['EdDSA', 'Ed25519'].map((name): [string, Recipe] => [
    name,
    { kind: 'OKP Ed25519', import: { name: 'Ed25519' }, verify: { name: 'Ed25519' } },
  ]),
])
