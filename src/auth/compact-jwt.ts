import { type JsonObject, parseJsonObject } from './strict-json.ts'

/** A JWT before anybody has checked its signature. */
export interface CompactJwt {
  readonly header: JsonObject
  readonly claims: JsonObject
}

/** Undefined for what is not a signed JWT in its one spelling, encrypted ones (five parts) included. */
export function parseCompactJwt(token: string): CompactJwt | undefined {
  const parts = token.split('.', 4)
  const [head, body, signature] = parts
  if (parts.length !== 3 || head === undefined || body === undefined || signature === undefined)
    return undefined
  if (signature === '' || decodeExactly(signature) === undefined) return undefined
  const header = parseJsonObject(decodeExactly(head) ?? nothing)
  const claims = parseJsonObject(decodeExactly(body) ?? nothing)
  return header === undefined || claims === undefined ? undefined : { header, claims }
}

const nothing = new Uint8Array()

/** Buffer reads padding, the other alphabet and stray bits at the end as well: then two texts would be one token. */
function decodeExactly(part: string): Buffer | undefined {
  const bytes = Buffer.from(part, 'base64url')
  return bytes.toString('base64url') === part ? bytes : undefined
}
