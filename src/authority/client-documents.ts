import { type Dispatcher, request } from 'undici'
import { Failure } from '../failure/failure.ts'
import { guardedAgent, outboundComplaint } from '../outbound/guarded-agent.ts'

/** Fetches what clients point at: their metadata documents. */
export interface ClientDocuments {
  readonly fetch: (input: string | URL | Request) => Promise<Response>
  readonly close: () => Promise<void>
}

/** Only ever a GET for JSON, whole within 5 s and 5 KB, without redirects, kept out of private networks. */
export function createClientDocuments({
  allowPrivate,
  timeoutMs = 5000,
}: {
  readonly allowPrivate: boolean
  readonly timeoutMs?: number
}): ClientDocuments {
  const dispatcher = guardedAgent({ allowPrivate })
  return {
    fetch: async (input) => {
      const url = new URL(input instanceof Request ? input.url : input)
      const complaint = outboundComplaint(url, allowPrivate)
      if (complaint !== undefined) throw new Failure('forbidden', `the URL of a client document ${complaint}`)
      const answer = await request(url, {
        dispatcher,
        headers: { accept: 'application/json' },
        signal: AbortSignal.timeout(timeoutMs),
      })
      return readAnswer(answer)
    },
    close: () => dispatcher.destroy(),
  }
}

const longest = 5120

async function readAnswer({ statusCode, headers, body }: Dispatcher.ResponseData): Promise<Response> {
  const chunks: Buffer[] = []
  let received = 0
  // Leaving the loop early destroys the stream and its connection.
  for await (const chunk of body) {
    if (!Buffer.isBuffer(chunk)) continue
    received += chunk.length
    if (received > longest) throw new Failure('too-large', `a client document has at most ${longest} bytes`)
    chunks.push(chunk)
  }
  const type = String(headers['content-type'] ?? '')
  if (statusCode === 200 && !jsonType.test(type))
    throw new Failure('unsupported-media', 'a client document is served as application/json')
  const kept = ['cache-control', 'expires'].flatMap((name): [string, string][] => {
    const value = headers[name]
    return typeof value === 'string' ? [[name, value]] : []
  })
  const hasBody = statusCode >= 200 && ![204, 205, 304].includes(statusCode)
  return new Response(hasBody ? Buffer.concat(chunks) : null, { status: statusCode, headers: kept })
}

const jsonType = /^application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i
