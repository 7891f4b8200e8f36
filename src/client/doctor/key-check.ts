import { isJsonObject, type JsonObject } from '../wire-reader.ts'
import { addressComplaint } from './address.ts'
import { bad, good, left, type Outcome } from './check.ts'
import type { Examination } from './examination.ts'
import { type Answer, probe, shown } from './probe.ts'
import { algorithmsOf } from './signature.ts'

/** A public key that signatures can be checked with. */
export interface VerificationKey {
  readonly jwk: JsonObject
  readonly kid: string | undefined
  readonly algorithms: readonly string[]
}

export interface KeyQuestion {
  readonly jwksUri: string | undefined
  readonly mayBeLocal: boolean
  readonly algorithms?: readonly string[] | undefined
}

export async function checkKeys(
  examination: Examination,
  question: KeyQuestion,
): Promise<readonly VerificationKey[] | undefined> {
  const { jwksUri, mayBeLocal } = question
  const look = async (signal: AbortSignal): Promise<Outcome<readonly VerificationKey[]>> => {
    if (jwksUri === undefined) return left('None is published: its tokens can only be checked by asking it')
    const complaint = addressComplaint(jwksUri, { what: 'The key set', mayBeLocal })
    if (complaint !== undefined)
      return bad({ cause: 'insecure_keys', detail: complaint, cure: 'Correct jwks_uri to an https address.' })
    return judge(await probe(examination, { url: new URL(jwksUri), signal }), question)
  }
  return examination.check('key set', look, shown(jwksUri ?? ''))
}

function judge({ url, status, body }: Answer, question: KeyQuestion): Outcome<readonly VerificationKey[]> {
  const place = shown(url)
  if (status !== 200 || !Array.isArray(body?.keys))
    return bad({
      cause: 'no_keys',
      detail: `${place} answers ${status}${status === 200 ? ' without a list of keys' : ''}: nobody can check a signature of this issuer`,
      cure: `Make the authorization server publish its public keys at ${place}, or correct jwks_uri in its metadata.`,
    })
  const given = body.keys.filter(isJsonObject)
  if (given.length === 0)
    return bad({
      cause: 'empty_keys',
      detail: `The key set at ${place} is empty: every signature of this issuer is refused`,
      cure: 'Give the authorization server a signing key, and let it publish the public half.',
    })
  if (given.some((jwk) => typeof jwk.d === 'string' || typeof jwk.k === 'string'))
    return bad({
      cause: 'private_key_published',
      detail: `The key set at ${place} shows a private key to everybody: anybody can make tokens`,
      cure: 'Replace that key now, and publish only the public half of the new one.',
    })
  const keys = given.flatMap(verificationKey)
  const { algorithms } = question
  const usable =
    algorithms === undefined
      ? keys
      : keys.filter((key) => key.algorithms.some((name) => algorithms.includes(name)))
  const names = [...new Set(usable.flatMap((key) => key.algorithms))]
  if (usable.length > 0)
    return good(`${usable.length} ${usable.length === 1 ? 'key' : 'keys'} for ${names.join(', ')}`, usable)
  const offered = [...new Set(keys.flatMap((key) => key.algorithms))].join(', ') || 'no signatures'
  return bad({
    cause: 'no_usable_key',
    detail: `The keys at ${place} are for ${offered}, and none of them is accepted`,
    cure:
      algorithms === undefined
        ? 'Let the authorization server sign with RS256 or ES256.'
        : `Accept what it signs with, or let it sign with one of ${algorithms.join(', ')}.`,
  })
}

function verificationKey(jwk: JsonObject): readonly VerificationKey[] {
  const algorithms = algorithmsOf(jwk)
  if (jwk.use === 'enc' || algorithms.length === 0) return []
  return [{ jwk, kid: typeof jwk.kid === 'string' ? jwk.kid : undefined, algorithms }]
}
