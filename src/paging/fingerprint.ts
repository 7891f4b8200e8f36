import { hash } from 'node:crypto'

export const fingerprintLength = 6

/** Short, because it only tells honest requests apart: the token's proof is what keeps a forger out. */
export function fingerprint(text: string): Buffer {
  return hash('sha256', text, 'buffer').subarray(0, fingerprintLength)
}
