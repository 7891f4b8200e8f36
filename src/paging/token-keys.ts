import { createSecretKey, hash, hkdfSync, type KeyObject } from 'node:crypto'
import { Failure } from '../failure/failure.ts'

/** One secret as the three keys that are made from it, once, at start. */
export interface TokenKey {
  /** One byte that says which key was used; two keys may share it, and then both are tried. */
  readonly id: number
  readonly sign: KeyObject
  readonly seal: KeyObject
  readonly nonce: KeyObject
}

/** The first key mints; all of them verify. Rotate by adding a new one behind it, then moving that to the front. */
export type TokenKeys = readonly [TokenKey, ...TokenKey[]]

const shortest = 32

export function deriveTokenKeys(secrets: readonly string[]): TokenKeys {
  const [first, ...rest] = secrets
  if (first === undefined)
    throw new Failure('misconfigured', 'page tokens need at least one secret of 32 characters')
  return [deriveTokenKey(first), ...rest.map(deriveTokenKey)]
}

function deriveTokenKey(secret: string): TokenKey {
  if (secret.length < shortest)
    throw new Failure('misconfigured', `a secret for page tokens needs at least ${shortest} characters`)
  return {
    id: hash('sha256', `postern page token key id ${secret}`, 'buffer').readUInt8(),
    sign: derive(secret, 'sign'),
    seal: derive(secret, 'seal'),
    nonce: derive(secret, 'nonce'),
  }
}

function derive(secret: string, purpose: string): KeyObject {
  return createSecretKey(
    Buffer.from(hkdfSync('sha256', secret, '', `postern page token ${purpose}`, shortest)),
  )
}
