import { randomBytes } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'

export type RequestIds = (request: { readonly headers: IncomingHttpHeaders }) => string

/** One random prefix per process and a counter: unique without asking for randomness on every request. */
export function createRequestIds(
  startedAt: number = Date.now(),
  random: Buffer = randomBytes(6),
): RequestIds {
  const prefix = `${startedAt.toString(36)}-${random.toString('hex')}-`
  let count = 0
  return (request) => {
    const asked = request.headers['x-request-id']
    if (typeof asked === 'string' && acceptable.test(asked)) return asked
    count += 1
    return prefix + count.toString(36).padStart(6, '0')
  }
}

const acceptable = /^[A-Za-z0-9._-]{1,64}$/
