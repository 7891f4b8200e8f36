import { hash } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { calculateJwkThumbprint, compactVerify } from 'jose'
import { Failure } from '../failure/failure.ts'
import { parseCompactJwt } from './compact-jwt.ts'
import { fitsAlgorithm, publicJwk } from './public-jwk.ts'
import { createReplayMemory } from './replay-memory.ts'
import { importPublicKey } from './signing-key.ts'
import { type JsonObject, member } from './strict-json.ts'

/** The algorithms of a proof, for `dpop_signing_alg_values_supported`. */
export const dpopAlgorithms: readonly string[] = ['ES256', 'ES384', 'EdDSA', 'Ed25519', 'PS256', 'RS256']

interface ProvenRequest {
  readonly method: string
  readonly url: string
  readonly headers: IncomingHttpHeaders
  readonly rawHeaders: readonly string[]
}

interface BoundToken {
  readonly text: string
  readonly thumbprint: string
}

/** Checks the proof that comes with a bound token (RFC 9449, section 4.3), each proof once. */
export type ProofCheck = (request: ProvenRequest, token: BoundToken) => Promise<void>

export function createProofCheck(now: () => number): ProofCheck {
  const replays = createReplayMemory((oldest + newest) * 1000, mostProofs)
  return async (request, token) => {
    const proof = readProofHeader(request)
    const jwt = parseCompactJwt(proof)
    if (jwt === undefined) throw badProof('is not a signed JWT')
    const right = { ath: hash('sha256', token.text, 'base64url'), now: now() / 1000 }
    const jti = checkProofClaims(jwt.claims, request, right)
    await checkProofSignature(proof, jwt.header, token.thumbprint)
    const known = replays.admit(hash('sha256', `${token.thumbprint} ${jti}`, 'base64url'), now())
    if (known === 'seen') throw badProof('was used before')
    if (known === 'full') throw new Failure('unavailable', 'too many DPoP proofs at once; try again later')
  }
}

/** In seconds: how old a proof may be, and how far ahead its clock. */
const oldest = 60
const newest = 30
const mostProofs = 500_000
const longestProof = 8192

function readProofHeader({ headers, rawHeaders }: ProvenRequest): string {
  const count = rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === 'dpop').length
  const { dpop } = headers
  if (count !== 1 || typeof dpop !== 'string') throw badProof('must come in exactly one DPoP header')
  if (dpop.length > longestProof) throw badProof(`is longer than ${longestProof} characters`)
  return dpop
}

/** The `jti` of a proof whose claims are right. */
function checkProofClaims(
  claims: JsonObject,
  request: ProvenRequest,
  right: { readonly ath: string; readonly now: number },
): string {
  const [jti, htm, htu, iat, ath] = ['jti', 'htm', 'htu', 'iat', 'ath'].map((name) => member(claims, name))
  if (typeof jti !== 'string' || jti === '') throw badProof('needs a "jti"')
  if (htm !== request.method) throw badProof('is for another method ("htm")')
  if (typeof htu !== 'string' || !isSameTarget(htu, request.url)) throw badProof('is for another URL ("htu")')
  if (ath !== right.ath) throw badProof('is for another access token ("ath")')
  if (typeof iat !== 'number' || !(iat >= right.now - oldest && iat <= right.now + newest)) {
    throw badProof(`is not of the last ${oldest} seconds ("iat")`)
  }
  return jti
}

async function checkProofSignature(proof: string, header: JsonObject, thumbprint: string): Promise<void> {
  const alg = member(header, 'alg')
  const jwk = publicJwk(member(header, 'jwk'))
  if (member(header, 'typ') !== 'dpop+jwt') throw badProof('must have the type dpop+jwt')
  if (refusedMembers.some((name) => Object.hasOwn(header, name)))
    throw badProof('has a header that is not accepted')
  if (typeof alg !== 'string' || !dpopAlgorithms.includes(alg))
    throw badProof('must be signed with an accepted algorithm')
  if (jwk === undefined || !fitsAlgorithm(jwk, alg))
    throw badProof('must hold the public key of its algorithm')
  const actual = await calculateJwkThumbprint({ ...jwk }, 'sha256').catch(() => undefined)
  if (actual !== thumbprint) throw badProof('is of another key than the access token')
  try {
    await compactVerify(proof, await importPublicKey(jwk, alg), { algorithms: [alg] })
  } catch (cause) {
    throw badProof('has a signature that does not hold', cause)
  }
}

const refusedMembers = ['crit', 'b64', 'jku', 'x5u', 'x5c', 'enc', 'zip', 'cty']

/** RFC 9449, section 4.3: compared without query and fragment, in the normal form of URLs. */
function isSameTarget(claimed: string, actual: string): boolean {
  const [one, other] = [URL.parse(claimed), URL.parse(actual)]
  if (one === null || other === null || one.username !== '' || one.password !== '') return false
  return one.origin === other.origin && one.pathname === other.pathname
}

function badProof(complaint: string, cause?: unknown): Failure {
  return new Failure('unauthenticated', `the DPoP proof ${complaint}`, {
    reason: 'invalid_dpop_proof',
    cause,
  })
}
