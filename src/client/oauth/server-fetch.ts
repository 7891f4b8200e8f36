import { ClientError } from '../client-error.ts'
import { textUpTo } from '../response-text.ts'

type Fetch = typeof globalThis.fetch

/** Calls that fetch documents and tokens: short, bounded, and never redirected. */
export function serverFetch(fetch: Fetch): Fetch {
  return async (input, init = {}) => {
    const url = new URL(input instanceof Request ? input.url : input)
    const where = `${init.method ?? 'GET'} ${url.origin}${url.pathname}`
    const response = await answerOf(where, () =>
      fetch(url, { ...init, redirect: 'manual', signal: AbortSignal.timeout(timeoutMs) }),
    )
    const text = await answerOf(where, () => textUpTo(response, maxBytes))
    if (text === null)
      throw new ClientError('too_large', `${where} answered with more than ${maxBytes} bytes`)
    const { status, statusText, headers } = response
    const isBare = [204, 205, 304].includes(status)
    // A redirect in a browser has no status, and some servers have one of their own making.
    return status < 200 || status > 599
      ? new Response(null, { status: 502 })
      : new Response(isBare ? null : text, { status, statusText, headers })
  }
}

const timeoutMs = 15_000
const maxBytes = 1024 * 1024

async function answerOf<Value>(where: string, work: () => Promise<Value>): Promise<Value> {
  try {
    return await work()
  } catch (cause) {
    if (cause instanceof ClientError) throw cause
    const isLate = cause instanceof DOMException && cause.name === 'TimeoutError'
    const problem = isLate ? `got no answer within ${timeoutMs / 1000} seconds` : 'got no complete answer'
    throw new ClientError('network', `${where} ${problem}: is the server running, and the address right?`, {
      cause,
    })
  }
}
