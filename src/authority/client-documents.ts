import { type Dispatcher, request } from 'undici'
import { Failure } from '../failure/failure.ts'
import { guardedAgent, outboundComplaint } from '../outbound/guarded-agent.ts'
import type { Clock } from '../store/clock.ts'
import { createLastDocuments, type SentDocument } from './last-documents.ts'

/** Fetches what clients point at: their metadata documents. */
export interface ClientDocuments {
  /** Fails as `unavailable` where the document may be there at another time. */
  readonly fetch: (input: string | URL | Request) => Promise<Response>
  readonly close: () => Promise<void>
}

export interface ClientDocumentsOptions {
  readonly allowPrivate: boolean
  readonly now: Clock
  /** Whether the one who asks may make us call others once more. */
  readonly mayFetch?: () => Promise<boolean>
  readonly timeoutMs?: number
}

/** Only ever a GET for JSON, whole within 5 s and 5 KB, without redirects, kept out of private networks. */
export function createClientDocuments(options: ClientDocumentsOptions): ClientDocuments {
  const { allowPrivate, now, mayFetch = async () => true, timeoutMs = 5000 } = options
  const dispatcher = guardedAgent({ allowPrivate })
  const orLast = createLastDocuments(now)
  return {
    fetch: async (input) => {
      const url = new URL(input instanceof Request ? input.url : input)
      const complaint = outboundComplaint(url, allowPrivate)
      if (complaint !== undefined) throw new Failure('forbidden', `the URL of a client document ${complaint}`)
      const { status, headers, body } = await orLast(url.href, async () => {
        if (await mayFetch()) return reach(url, dispatcher, timeoutMs)
        throw new Failure('unavailable', 'too many client documents were asked for from this address')
      })
      const hasBody = status >= 200 && ![204, 205, 304].includes(status)
      const kept = headers.map(([name, value]): [string, string] => [name, value])
      return new Response(hasBody ? new Uint8Array(body) : null, { status, headers: kept })
    },
    close: () => dispatcher.destroy(),
  }
}

async function reach(url: URL, dispatcher: Dispatcher, timeoutMs: number): Promise<SentDocument> {
  try {
    const answer = await request(url, {
      dispatcher,
      headers: { accept: 'application/json' },
      signal: AbortSignal.timeout(timeoutMs),
    })
    return await readAnswer(answer)
  } catch (cause) {
    if (cause instanceof Failure) throw cause
    throw new Failure('unavailable', 'the host of a client document cannot be reached', { cause })
  }
}

const longest = 5120

async function readAnswer({ statusCode, headers, body }: Dispatcher.ResponseData): Promise<SentDocument> {
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
  return { status: statusCode, headers: kept, body: Buffer.concat(chunks) }
}

const jsonType = /^application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i
