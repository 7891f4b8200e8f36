import { ClientError } from '../client-error.ts'
import type { Settings } from './settings.ts'

/** One call of the resource that can be sent again with another token. */
export interface RepeatableCall {
  readonly signal: AbortSignal | undefined
  readonly send: (accessToken: string | undefined) => Promise<Response>
}

export async function repeatableCall(
  input: string | URL | Request,
  init: RequestInit | undefined,
  { resource, callFetch }: Pick<Settings, 'resource' | 'callFetch'>,
): Promise<RepeatableCall> {
  const request = input instanceof Request ? input : undefined
  const url = new URL(input instanceof Request ? input.url : input)
  if (url.origin !== resource.origin)
    throw new ClientError(
      'foreign_origin',
      `the token for ${resource.href} is for ${resource.origin} alone, not for ${url.origin}`,
    )
  const settled = { ...(request === undefined ? {} : await partsOf(request)), ...init }
  // A stream can be read only once.
  const body = settled.body instanceof ReadableStream ? await new Response(settled.body).blob() : settled.body
  const send: RepeatableCall['send'] = async (accessToken) => {
    const headers = new Headers(settled.headers)
    if (accessToken !== undefined) headers.set('authorization', `Bearer ${accessToken}`)
    const response = await callFetch(url, {
      ...settled,
      ...(body === undefined ? {} : { body }),
      headers,
      redirect: 'manual',
    })
    // Wherever a redirect leads, the token must not go along.
    if (isRedirect(response) && settled.redirect !== 'manual') throw redirected(url, response)
    return response
  }
  return { signal: settled.signal ?? undefined, send }
}

async function partsOf(request: Request): Promise<RequestInit> {
  const { method, headers, signal, redirect } = request
  return {
    method,
    headers,
    signal,
    redirect,
    ...(request.body === null ? {} : { body: await request.blob() }),
  }
}

function isRedirect({ status, type }: Response): boolean {
  return type === 'opaqueredirect' || [301, 302, 303, 307, 308].includes(status)
}

function redirected(url: URL, response: Response): ClientError {
  const target = URL.parse(response.headers.get('location') ?? '', url.href)
  const where = target === null ? 'elsewhere' : `to ${target.origin}${target.pathname}`
  return new ClientError(
    'redirected',
    `${url.origin}${url.pathname} redirects ${where}, which is not followed: if you trust it, use that address`,
    { status: response.status },
  )
}
