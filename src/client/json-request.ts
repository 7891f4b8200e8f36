import { ClientError } from './client-error.ts'
import { responseError } from './response-error.ts'
import { textUpTo } from './response-text.ts'

export type RequestHeaders = Readonly<Record<string, string>>

export interface HttpOptions {
  /** Default: the global `fetch`. */
  readonly fetch?: typeof globalThis.fetch
  /** As a function it is asked before each request, so that an access token can be renewed during a long walk. */
  readonly headers?: RequestHeaders | (() => RequestHeaders | Promise<RequestHeaders>)
  /** A longer answer is refused. Default 16 MiB. */
  readonly maxBytes?: number
}

export interface JsonRequest {
  readonly url: URL
  readonly position: string | null
  readonly signal: AbortSignal
}

/** Gets JSON; anything else that comes back is a `ClientError`. */
export function jsonClient(options: HttpOptions): (request: JsonRequest) => Promise<unknown> {
  const { maxBytes = 16 * 1024 * 1024 } = options
  if (!Number.isSafeInteger(maxBytes) || maxBytes < 1)
    throw new ClientError('invalid_option', 'maxBytes must be a whole number, 1 or more')
  return async (request) => {
    const headers = await headersOf(options, request.position)
    const { response, text } = await exchange({ ...options, maxBytes }, request, headers)
    const where = `GET ${request.url.origin}${request.url.pathname}`
    const context = { status: response.status, position: request.position }
    if (isRedirect(response))
      throw new ClientError(
        'redirected',
        `${where} is a redirect, which is not followed: use its target`,
        context,
      )
    if (!response.ok) throw responseError({ where, text, secrets: secretsOf(request, headers), ...context })
    if (text === null)
      throw new ClientError('too_large', `${where} answered with more than ${maxBytes} bytes`, context)
    try {
      return JSON.parse(text)
    } catch {
      throw new ClientError('not_json', `${where} answered ${mediaType(response)} that is not JSON`, context)
    }
  }
}

interface Exchange {
  readonly response: Response
  /** Null when the answer is longer than allowed. */
  readonly text: string | null
}

async function exchange(
  options: HttpOptions & { readonly maxBytes: number },
  { url, position, signal }: JsonRequest,
  headers: Headers,
): Promise<Exchange> {
  const { fetch = globalThis.fetch } = options
  try {
    // Following a redirect would hand an API key header to wherever it points.
    const response = await fetch(url, { headers, signal, redirect: 'manual' })
    return { response, text: await textUpTo(response, options.maxBytes) }
  } catch (cause) {
    signal.throwIfAborted()
    // A `fetch` that signs in has a better word for what went wrong.
    if (cause instanceof ClientError) throw at(position, cause)
    throw new ClientError('network', `GET ${url.origin}${url.pathname} got no complete answer`, {
      position,
      cause,
    })
  }
}

function at(position: string | null, cause: ClientError): ClientError {
  const { code, message, status, reason, scopes, resource } = cause
  return new ClientError(code, message, {
    ...(status === undefined ? {} : { status }),
    reason,
    scopes,
    resource,
    position,
    cause,
  })
}

async function headersOf({ headers = {} }: HttpOptions, position: string | null): Promise<Headers> {
  const given = typeof headers === 'function' ? await headers() : headers
  try {
    const sent = new Headers(given)
    if (!sent.has('accept')) sent.set('accept', 'application/json')
    return sent
  } catch {
    // The platform's own error quotes the value, which may be a token.
    throw new ClientError('invalid_option', 'a header has a name or value that HTTP does not allow', {
      position,
    })
  }
}

function isRedirect({ status, type }: Response): boolean {
  return type === 'opaqueredirect' || (status >= 300 && status < 400)
}

/** Everything that was sent and may be a credential or a cursor, scheme words such as `Bearer` split off. */
function secretsOf({ url }: JsonRequest, headers: Headers): string[] {
  const given = [...headers].filter(([name]) => name !== 'accept').map(([, value]) => value)
  const asSent = url.search
    .slice(1)
    .split('&')
    .map((pair) => pair.slice(pair.indexOf('=') + 1))
  return [
    ...given.flatMap((value) => [value, ...value.split(/\s+/)]),
    ...url.searchParams.values(),
    ...asSent,
  ]
}

function mediaType(response: Response): string {
  const [type] = /^[\w.+-]{1,60}\/[\w.+-]{1,60}/.exec(response.headers.get('content-type') ?? '') ?? []
  return type ?? 'something without a media type'
}
