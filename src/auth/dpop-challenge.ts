import { dpopAlgorithms } from './dpop-proof.ts'

/** RFC 9449, section 7.1: a client must learn whether its proof or its token is the trouble. */
export function dpopChallenge(reason: string | undefined): string | undefined {
  const error = errors.get(reason ?? '')
  return error === undefined ? undefined : `DPoP error="${error}", algs="${dpopAlgorithms.join(' ')}"`
}

const errors: ReadonlyMap<string, string> = new Map([
  ['dpop_required', 'invalid_token'],
  ['invalid_dpop_proof', 'invalid_dpop_proof'],
])
