import { type Dispatcher, fetch } from 'undici'
import { Failure } from '../failure/failure.ts'
import { faultOfSending } from './source-upstream-sending.ts'

export interface UpstreamFetchOptions {
  readonly url: URL
  /** The credential of the source; it wins over whatever else is set. */
  readonly headers: Readonly<Record<string, string>>
  readonly agent: Dispatcher
  /** Of a whole answer, or of one event of a stream. */
  readonly limitBytes: number
}

export type UpstreamFetch = (url: string | URL, init?: RequestInit) => Promise<Response>

/** A fetch that knows one address: it sends the credential there and nowhere else, follows nothing, and reads no more than it must. */
export function upstreamFetch({ url, headers, agent, limitBytes }: UpstreamFetchOptions): UpstreamFetch {
  return async (target, init = {}) => {
    if (new URL(target).href !== url.href)
      throw new Failure('forbidden', 'an upstream is called at its configured address only')
    const tellFault = faultOfSending()
    const answer = await fetch(url, {
      method: init.method ?? 'GET',
      headers: { ...Object.fromEntries(new Headers(init.headers)), ...headers },
      redirect: 'manual',
      dispatcher: agent,
      ...(typeof init.body === 'string' ? { body: init.body } : {}),
      ...(init.signal ? { signal: init.signal } : {}),
    })
    if (answer.status >= 300 && answer.status < 400) {
      await answer.body?.cancel()
      throw new Failure('unavailable', 'an upstream answered with a redirect, which is not followed')
    }
    const type = answer.headers.get('content-type') ?? ''
    const limit = type.startsWith('text/event-stream')
      ? eventLimit(limitBytes, tellFault)
      : totalLimit(limitBytes)
    return new Response(answer.body === null ? null : answer.body.pipeThrough(limit), {
      status: answer.status,
      statusText: answer.statusText,
      headers: [...answer.headers],
    })
  }
}

type Limit = TransformStream<Uint8Array, Uint8Array>

function totalLimit(limitBytes: number): Limit {
  let size = 0
  return new TransformStream({
    transform: (chunk, controller) => {
      size += chunk.byteLength
      if (size > limitBytes) throw tooLarge(limitBytes)
      controller.enqueue(chunk)
    },
  })
}

/** A stream may go on for days; what must stay small is each event, which ends at an empty line. */
function eventLimit(limitBytes: number, tellFault: (fault: Failure) => void): Limit {
  let size = 0
  let lineLength = 0
  return new TransformStream({
    transform: (chunk, controller) => {
      for (const byte of chunk) {
        size = byte === lineFeed && lineLength === 0 ? 0 : size + 1
        if (size > limitBytes) {
          // The SDK keeps no more of it than the words.
          const fault = tooLarge(limitBytes)
          tellFault(fault)
          throw fault
        }
        if (byte === lineFeed) lineLength = 0
        else if (byte !== carriageReturn) lineLength += 1
      }
      controller.enqueue(chunk)
    },
  })
}

const lineFeed = 10
const carriageReturn = 13

function tooLarge(limitBytes: number): Failure {
  return new Failure('too-large', `an answer is larger than ${limitBytes} bytes`)
}
