import { createCipheriv, createDecipheriv, createHmac, timingSafeEqual } from 'node:crypto'
import type { TokenKey } from './token-keys.ts'

/** The way a token is protected; the byte stands in the token, so both can be read side by side. */
export const protections = { signed: 0, sealed: 1 } as const
export type Protection = keyof typeof protections

/** Version, key id and protection come first in every token of every version, and 16 bytes of proof come last. */
export const headLength = 3
const proofLength = 16
const nonceLength = 12

/** Whom the token is for is part of the proof: a token of somebody else looks like any forged one. */
export interface Envelope {
  readonly head: Buffer
  readonly key: TokenKey
  readonly audience: string
}

export function protect(protection: Protection, envelope: Envelope, content: Buffer): Buffer {
  return protection === 'sealed' ? seal(envelope, content) : sign(envelope, content)
}

/** Answers the content, or undefined when the proof does not hold. */
export function unprotect(protection: Protection, envelope: Envelope, body: Buffer): Buffer | undefined {
  return protection === 'sealed' ? unseal(envelope, body) : verify(envelope, body)
}

function sign(envelope: Envelope, content: Buffer): Buffer {
  return Buffer.concat([envelope.head, content, proof(envelope, content)])
}

function verify(envelope: Envelope, body: Buffer): Buffer | undefined {
  if (body.length < proofLength) return undefined
  const content = body.subarray(0, -proofLength)
  return timingSafeEqual(body.subarray(-proofLength), proof(envelope, content)) ? content : undefined
}

function proof({ head, key, audience }: Envelope, content: Buffer): Buffer {
  return createHmac('sha256', key.sign)
    .update(Buffer.concat([prefixOf(audience), head, content]))
    .digest()
    .subarray(0, proofLength)
}

/** The nonce is made from the content: the same page gives the same bytes, and no random nonce can ever repeat. */
function seal(envelope: Envelope, content: Buffer): Buffer {
  const { head, key } = envelope
  const aad = associated(envelope)
  const nonce = createHmac('sha256', key.nonce)
    .update(Buffer.concat([aad, content]))
    .digest()
  const cipher = createCipheriv('aes-256-gcm', key.seal, nonce.subarray(0, nonceLength))
  cipher.setAAD(aad)
  return Buffer.concat([
    head,
    nonce.subarray(0, nonceLength),
    cipher.update(content),
    cipher.final(),
    cipher.getAuthTag(),
  ])
}

function unseal(envelope: Envelope, body: Buffer): Buffer | undefined {
  if (body.length < nonceLength + proofLength) return undefined
  const decipher = createDecipheriv('aes-256-gcm', envelope.key.seal, body.subarray(0, nonceLength), {
    authTagLength: proofLength,
  })
  decipher.setAAD(associated(envelope))
  decipher.setAuthTag(body.subarray(-proofLength))
  try {
    return Buffer.concat([decipher.update(body.subarray(nonceLength, -proofLength)), decipher.final()])
  } catch {
    return undefined
  }
}

function associated({ head, audience }: Envelope): Buffer {
  return Buffer.concat([prefixOf(audience), head])
}

/** The length comes first: otherwise a longer audience and a shorter content could spell the same bytes. */
function prefixOf(audience: string): Buffer {
  const bytes = Buffer.from(`0000${audience}`, 'utf8')
  bytes.writeUInt32BE(bytes.length - 4)
  return bytes
}
