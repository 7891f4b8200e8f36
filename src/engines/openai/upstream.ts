import { type Dispatcher, Pool, request } from 'undici'
import { Failure } from '../../failure/failure.ts'
import { type Breaker, createBreaker } from '../breaker.ts'
import type { EngineCall } from '../engine.ts'
import { tryRepeatedly } from './attempts.ts'
import { brokenUpstream, type RefusedCall, refusedByUpstream } from './failure.ts'
import { type OpenaiEngineOptions, usualTimeouts } from './options.ts'
import { type JsonObject, parseObject } from './values.ts'

interface UpstreamRequest {
  /** Below `baseUrl`, or below its root when it begins with `//`. */
  readonly path: string
  readonly body: JsonObject
  readonly call: EngineCall
}

interface UpstreamAnswer {
  readonly isJson: boolean
  readonly chunks: AsyncIterable<Uint8Array>
}

export interface Upstream {
  /** An answer with status 200; anything else is a failure, after the retries. Whoever takes the chunks reads or ends them. */
  readonly open: (request: UpstreamRequest) => Promise<UpstreamAnswer>
  /** The same, read to its end as one JSON object. */
  readonly ask: (request: UpstreamRequest) => Promise<JsonObject>
  readonly refused: RefusedCall
  readonly close: () => Promise<void>
}

const maxAnswerBytes = 64 * 1024 * 1024
const maxRefusalBytes = 64 * 1024

export function createUpstream(options: OpenaiEngineOptions): Upstream {
  const timeouts = { ...usualTimeouts, ...options.timeouts }
  const { origin, pathname } = new URL(options.baseUrl)
  const prefix = pathname.replace(/\/+$/, '')
  const root = prefix.replace(/\/v\d+$/, '')
  const own =
    options.dispatcher === undefined
      ? new Pool(origin, { connect: { timeout: timeouts.connectMs } })
      : undefined
  const dispatcher: Dispatcher | undefined = options.dispatcher ?? own
  const sent = headersOf(options)
  const { retries = 0, random, now = () => performance.now() } = options
  const breaker = createBreaker(now)
  const refused: RefusedCall = { model: options.model, apiKey: options.apiKey, now: Date.now }

  async function attempt({ path, body, call }: UpstreamRequest): Promise<UpstreamAnswer> {
    const { signal, requestId } = call
    const place = path.startsWith('//') ? root + path.slice(1) : prefix + path
    try {
      const answer = await request(`${origin}${place}`, {
        ...(dispatcher !== undefined && { dispatcher }),
        method: 'POST',
        headers: { ...sent, 'x-request-id': requestId },
        body: JSON.stringify(body),
        signal,
        headersTimeout: timeouts.firstByteMs,
        bodyTimeout: timeouts.idleMs,
      })
      if (answer.statusCode !== 200) throw await refusal(answer, refused)
      const isJson = /^application\/(?:[a-z0-9.-]+\+)?json\b/i.test(
        String(answer.headers['content-type'] ?? ''),
      )
      breaker.answering()
      return { isJson, chunks: meant(answer.body, signal, breaker) }
    } catch (cause) {
      signal.throwIfAborted()
      throw brokenUpstream(cause)
    }
  }

  const open: Upstream['open'] = (asked) =>
    tryRepeatedly(() => attempt(asked), { retries, random, breaker, signal: asked.call.signal })

  return {
    open,
    refused,
    ask: async (asked) => readObject((await open(asked)).chunks),
    close: async () => own?.destroy(),
  }
}

/** A whole answer that must be one JSON object. */
export async function readObject(chunks: AsyncIterable<Uint8Array>): Promise<JsonObject> {
  const { text, isWhole } = await readText(chunks, maxAnswerBytes)
  const value = isWhole ? parseObject(text) : undefined
  if (value !== undefined) return value
  const why = isWhole ? 'an answer that is no JSON object' : `an answer of more than ${maxAnswerBytes} bytes`
  throw new Failure('unavailable', `the upstream sent ${why}`, { reason: 'upstream_garbage' })
}

function headersOf({ apiKey }: OpenaiEngineOptions): Readonly<Record<string, string>> {
  return {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    ...(apiKey !== undefined && { authorization: `Bearer ${apiKey}` }),
  }
}

/** The bytes of an answer, with whatever ends them early said in our words. */
async function* meant(
  body: Dispatcher.ResponseData['body'],
  signal: AbortSignal,
  breaker: Breaker,
): AsyncGenerator<Uint8Array, void, undefined> {
  let isBroken = false
  try {
    const chunks: AsyncIterable<Uint8Array> = body.iterator({ destroyOnReturn: false })
    yield* chunks
  } catch (cause) {
    isBroken = true
    signal.throwIfAborted()
    breaker.failed()
    throw brokenUpstream(cause)
  } finally {
    // Also when the reader has what it wants before the end.
    if (!isBroken && !signal.aborted) breaker.succeeded()
    if (!body.readableEnded && !body.destroyed) await leave(body)
  }
}

const graceMs = 20

/** Who stops at the last event leaves only the end of the message: with it read, the connection can be used again. */
async function leave(body: Dispatcher.ResponseData['body']): Promise<void> {
  const timer = setTimeout(() => body.destroy(), graceMs)
  body.on('error', () => undefined)
  await new Promise<void>((resolve) => {
    body.once('close', resolve)
    body.resume()
  })
  clearTimeout(timer)
}

async function refusal(answer: Dispatcher.ResponseData, refused: RefusedCall): Promise<Failure> {
  const { text } = await readText(answer.body, maxRefusalBytes)
  const retryAfter = answer.headers['retry-after']
  return refusedByUpstream(
    {
      status: answer.statusCode,
      body: text,
      retryAfter: typeof retryAfter === 'string' ? retryAfter : undefined,
    },
    refused,
  )
}

/** Stops at the limit, which also ends the connection. */
async function readText(
  chunks: AsyncIterable<Uint8Array>,
  limit: number,
): Promise<{ readonly text: string; readonly isWhole: boolean }> {
  const decoder = new TextDecoder()
  let text = ''
  let bytes = 0
  for await (const chunk of chunks) {
    bytes += chunk.length
    if (bytes > limit) return { text, isWhole: false }
    text += decoder.decode(chunk, { stream: true })
  }
  return { text: text + decoder.decode(), isWhole: true }
}
