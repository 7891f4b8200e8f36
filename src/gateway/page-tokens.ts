import { randomBytes } from 'node:crypto'
import type { Config } from '../config/config-schema.ts'
import { createTokenCodec, type TokenCodec } from '../paging/token-codec.ts'

/** Page tokens of a server without configured keys work until it stops. */
export function createPageTokens({ keys, ttlHours }: Config['paging']): TokenCodec {
  return createTokenCodec({
    secrets: keys.length > 0 ? keys : [randomBytes(32).toString('base64url')],
    ttlSeconds: ttlHours * 3600,
  })
}
