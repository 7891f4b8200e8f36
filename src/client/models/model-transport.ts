import { untilAborted } from '../abort.ts'
import { ClientError } from '../client-error.ts'
import type { HttpOptions } from '../json-request.ts'
import { bearerChallenge } from '../oauth/challenge.ts'
import { textUpTo } from '../response-text.ts'
import type { RetryPolicy } from '../retry-policy.ts'
import { serverSentEvents } from '../server-sent-events.ts'
import { isJsonObject, type JsonObject } from '../wire-reader.ts'
import type { Identity } from './credential-headers.ts'
import { modelError } from './model-error.ts'
import { patientFetch } from './patient-fetch.ts'

interface ModelCall {
  readonly url: URL
  /** Without one it is a GET. */
  readonly body?: JsonObject
  readonly signal?: AbortSignal | undefined
}

/** Calls of the model API: with the credential, repeated where that may help, and never redirected. */
export interface ModelTransport {
  readonly json: (call: ModelCall) => Promise<unknown>
  /** The JSON of each event. */
  readonly events: (call: ModelCall) => AsyncGenerator<unknown, void, undefined>
  /** For a list at this address. */
  readonly listOptions: (url: URL) => HttpOptions
}

export interface TransportOptions {
  readonly identity: Identity
  readonly policy: RetryPolicy
  readonly maxBytes: number
}

export function modelTransport({ identity, policy, maxBytes }: TransportOptions): ModelTransport {
  const fetch = patientFetch(identity.fetch, policy)

  async function send(call: ModelCall, accept: string): Promise<Exchange> {
    const { url, body, signal } = call
    const where = `${body === undefined ? 'GET' : 'POST'} ${url.origin}${url.pathname}`
    const asked = (): ReturnType<Identity['headers']> => identity.headers(url, signal)
    const credential = await (signal === undefined ? asked() : untilAborted(signal, asked))
    const headers = { ...credential, accept, 'content-type': 'application/json' }
    const content = body === undefined ? { method: 'GET' } : { method: 'POST', body: JSON.stringify(body) }
    const init = {
      ...content,
      headers,
      redirect: 'manual',
      ...(signal === undefined ? {} : { signal }),
    } as const
    const exchange = { response: await answerOf(where, signal, () => fetch(url, init)), where, signal }
    const secrets = Object.values(credential).flatMap((value) => [value, ...value.split(/\s+/)])
    return { ...exchange, response: await accepted(exchange, secrets) }
  }

  return {
    json: async (call) => {
      const { response, where, signal } = await send(call, 'application/json')
      const text = await answerOf(where, signal, () => textUpTo(response, maxBytes))
      if (text === null)
        throw new ClientError('too_large', `${where} answered with more than ${maxBytes} bytes`)
      return parsed(text, where)
    },
    events: async function* events(call) {
      const { response, where, signal } = await send(call, 'text/event-stream')
      if (
        !/^text\/event-stream\b/.test(response.headers.get('content-type') ?? '') ||
        response.body === null
      ) {
        await response.body?.cancel()
        throw new ClientError('unexpected_body', `${where} did not answer with a stream of events`)
      }
      for await (const { data } of serverSentEvents(response.body, { maxLength: maxBytes, signal })) {
        const event = parsed(data, where)
        if (isJsonObject(event) && isJsonObject(event.error)) throw brokenOff(event.error, data, where)
        yield event
      }
    },
    listOptions: (url) => ({ fetch, headers: () => identity.headers(url), maxBytes }),
  }
}

interface Exchange {
  readonly response: Response
  readonly where: string
  readonly signal: AbortSignal | undefined
}

/** The answer, if it is a good one. */
async function accepted(
  { response, where, signal }: Exchange,
  secrets: readonly string[],
): Promise<Response> {
  const { status, headers, type } = response
  if (response.ok) return response
  if (type === 'opaqueredirect' || (status >= 300 && status < 400)) {
    await response.body?.cancel()
    // Wherever it leads, the credential must not go along.
    throw new ClientError('redirected', `${where} is a redirect, which is not followed: use its target`)
  }
  const challenge = await bearerChallenge(response)
  const text = await answerOf(where, signal, () => textUpTo(response, mostErrorBytes))
  const scopes = challenge?.error === 'insufficient_scope' ? challenge.scopes : undefined
  throw modelError({ where, status, text, retryAfter: headers.get('retry-after'), scopes, secrets })
}

const mostErrorBytes = 1024 * 1024

/** An error in the middle of a stream has its status in the body. */
function brokenOff({ code }: JsonObject, text: string, where: string): ClientError {
  return modelError({ where, status: typeof code === 'number' ? code : 500, text, secrets: [] })
}

async function answerOf<Value>(
  where: string,
  signal: AbortSignal | undefined,
  work: () => Promise<Value>,
): Promise<Value> {
  try {
    return await work()
  } catch (cause) {
    signal?.throwIfAborted()
    if (cause instanceof ClientError) throw cause
    throw new ClientError('network', `${where} got no complete answer`, { cause })
  }
}

function parsed(text: string, where: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new ClientError('not_json', `${where} answered with something that is not JSON`)
  }
}
