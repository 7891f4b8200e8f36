import { ClientError } from '../client-error.ts'
import type { HttpOptions } from '../json-request.ts'
import { bearerChallenge } from '../oauth/challenge.ts'
import { safeUrl } from '../oauth/safe-url.ts'
import { responseError } from '../response-error.ts'
import { textUpTo } from '../response-text.ts'

export interface ApiCall {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** Below `/api/v1`. */
  readonly path: string
  readonly query?: Readonly<Record<string, string | undefined>>
  readonly body?: object
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal | undefined
}

export interface ApiOptions extends HttpOptions {
  /** Lets a credential travel unencrypted to another machine. Default false. */
  readonly allowHttp?: boolean | undefined
}

/** Calls below `/api/v1`; an answer that is not a good one is a `ClientError`. */
export interface ApiTransport {
  readonly url: (path: string, query?: ApiCall['query']) => URL
  readonly options: HttpOptions
  readonly send: (call: ApiCall) => Promise<Response>
  /** Undefined where the answer has no body. */
  readonly json: (call: ApiCall) => Promise<unknown>
}

export function apiTransport(baseUrl: string | URL, options: ApiOptions): ApiTransport {
  const root = rootOf(baseUrl, options.allowHttp === true)
  const { fetch = globalThis.fetch, maxBytes = 16 * 1024 * 1024 } = options

  function url(path: string, query: ApiCall['query'] = {}): URL {
    const found = new URL(root)
    found.pathname += path
    for (const [name, value] of Object.entries(query))
      if (value !== undefined) found.searchParams.set(name, value)
    return found
  }

  async function send(call: ApiCall): Promise<Response> {
    const { method, path, query, body, signal } = call
    const { headers: own = {} } = options
    const credential = typeof own === 'function' ? await own() : own
    const headers = {
      accept: 'application/json',
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...credential,
      ...call.headers,
    }
    const init = {
      method,
      headers,
      redirect: 'manual',
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(signal === undefined ? {} : { signal }),
    } as const
    const target = url(path, query)
    const where = `${method} ${target.origin}${target.pathname}`
    const response = await answerOf(where, signal, () => fetch(target, init))
    return response.ok ? response : answerOf(where, signal, () => refused(response, where, credential))
  }

  return {
    url,
    options,
    send,
    json: async (call) => {
      const response = await send(call)
      const where = `${call.method} ${url(call.path).pathname}`
      const text = await answerOf(where, call.signal, () => textUpTo(response, maxBytes))
      if (text === null) throw new ClientError('too_large', `the answer has more than ${maxBytes} bytes`)
      if (text === '') return undefined
      try {
        return JSON.parse(text)
      } catch {
        throw new ClientError('not_json', 'the answer is not JSON: is this the address of a Postern gateway?')
      }
    },
  }
}

function rootOf(baseUrl: string | URL, allowHttp: boolean): URL {
  const url = URL.parse(baseUrl)
  if (url === null || !/^https?:$/.test(url.protocol))
    throw new ClientError(
      'invalid_option',
      'the address of the gateway must be an absolute http or https URL',
    )
  if (url.username !== '' || url.password !== '' || url.search !== '')
    throw new ClientError('invalid_option', 'the address of the gateway has no credentials and no parameters')
  if (!allowHttp) safeUrl(url.origin, { what: 'the address of the gateway', mayBeLocal: true })
  const path = url.pathname.replace(/\/+$/, '')
  url.pathname = path.endsWith('/api/v1') ? path : `${path}/api/v1`
  url.hash = ''
  return url
}

async function refused(
  response: Response,
  where: string,
  credential: Readonly<Record<string, string>>,
): Promise<never> {
  const { status, type } = response
  if (type === 'opaqueredirect' || (status >= 300 && status < 400))
    throw new ClientError('redirected', `${where} is a redirect, which is not followed: use its target`)
  const challenge = await bearerChallenge(response)
  const text = await textUpTo(response, mostErrorBytes)
  const secrets = Object.values(credential).flatMap((value) => [value, ...value.split(/\s+/)])
  const { code, message } = responseError({ where, status, position: null, text, secrets })
  throw new ClientError(code, message, { status, reason: challenge?.error, scopes: challenge?.scopes })
}

const mostErrorBytes = 1024 * 1024

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
    throw new ClientError('network', `${where} got no complete answer: is the gateway running?`, { cause })
  }
}
