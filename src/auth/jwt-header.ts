import { refusal } from './refusal.ts'
import { type JsonObject, member } from './strict-json.ts'

export interface JwtHeader {
  readonly alg: string
  readonly kid: string | undefined
}

/** What an access token's header may say: an algorithm of the list, a key id, a type. It never brings its own key. */
export function readJwtHeader(header: JsonObject, algorithms: readonly string[]): JwtHeader {
  const [alg, kid, typ] = ['alg', 'kid', 'typ'].map((name) => member(header, name))
  const refused = refusedMembers.find((name) => Object.hasOwn(header, name))
  if (refused !== undefined)
    throw refusal(`the access token has a "${refused}" header, which is not accepted`)
  if (typeof alg !== 'string' || !algorithms.includes(alg)) {
    throw refusal('the access token is signed with an algorithm that is not accepted')
  }
  if (kid !== undefined && (typeof kid !== 'string' || kid.length > longestKeyId)) {
    throw refusal('the access token has a malformed key id')
  }
  if (typ !== undefined && (typeof typ !== 'string' || !accessTokenTypes.includes(typ.toLowerCase()))) {
    throw refusal('the token is not an access token: its type must be at+jwt or JWT')
  }
  return { alg, kid }
}

/** Refuses tokens of other kinds that an issuer signs with the same keys, where the claims give them away. */
export function refuseOtherTokens(header: JsonObject, claims: JsonObject): void {
  const typ = member(header, 'typ')
  const isDeclared = typeof typ === 'string' && typ.toLowerCase().endsWith('at+jwt')
  const kind = member(claims, 'typ')
  const isForeign = typeof kind === 'string' && !['bearer', 'dpop'].includes(kind.toLowerCase())
  const isMarked = marksOfOthers.some((name) => Object.hasOwn(claims, name))
  if (!isDeclared && (isForeign || isMarked)) throw refusal('the token is not an access token')
  if (typeof kind === 'string' && kind.toLowerCase() === 'dpop' && !Object.hasOwn(claims, 'cnf'))
    throw refusal('the access token is bound to a key that it does not name')
}

/** No critical extension is understood, and a token that names its own key proves nothing (RFC 8725, section 3.10). */
const refusedMembers = ['crit', 'b64', 'jwk', 'jku', 'x5u', 'x5c', 'enc', 'zip', 'cty']

/** RFC 9068, section 4; `JWT` and no type are what issuers sent before it. */
const accessTokenTypes = ['at+jwt', 'application/at+jwt', 'jwt']

/** Claims of ID tokens and of security events. */
const marksOfOthers = ['nonce', 'at_hash', 'c_hash', 's_hash', 'events']

const longestKeyId = 512
