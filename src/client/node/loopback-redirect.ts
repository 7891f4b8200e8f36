import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { ClientError } from '../client-error.ts'
import type { OpenRedirect, Redirect } from '../oauth/redirect.ts'
import { sendPage } from './loopback-page.ts'

export interface LoopbackOptions {
  /** Shows the page to the person: opens a browser, or prints the address. The signal tells that the sign-in is over. */
  readonly show: (page: URL, over: AbortSignal) => void | Promise<void>
  /** For issuers that know one port of ours; default: whatever is free. */
  readonly port?: number
}

/** The browser comes back to a server on this machine (RFC 8252, section 7.3), which lives as long as the sign-in. */
export function loopbackRedirect(options: LoopbackOptions): Redirect {
  return {
    kind: 'native',
    open: async (preferred) => {
      const server = createServer({ requestTimeout: 10_000 })
      const port = await listen(server, options.port, portOf(preferred))
      const origin = `http://127.0.0.1:${port}`
      return {
        redirectUri: origin + path,
        waitForAnswer: (page, signal) => waitForAnswer({ server, origin, signal }, page, options.show),
        close: async () => {
          const closed = once(server, 'close')
          server.close()
          server.closeAllConnections()
          await closed
        },
      } satisfies OpenRedirect
    },
  }
}

const path = '/callback'

/** The port that was asked for, or else the one of last time if it is free: strict issuers know no other. */
async function listen(server: Server, fixed: number | undefined, last: number): Promise<number> {
  try {
    server.listen(fixed ?? last, '127.0.0.1')
    await once(server, 'listening')
  } catch (cause) {
    if (fixed !== undefined)
      throw new ClientError('port_in_use', `port ${fixed} is in use: the sign-in needs it to come back`, {
        cause,
      })
    if (last === 0) throw cause
    return listen(server, fixed, 0)
  }
  const address = server.address()
  return typeof address === 'object' ? (address?.port ?? 0) : 0
}

function portOf(preferred: string | undefined): number {
  const url = URL.parse(preferred ?? '')
  return url?.hostname === '127.0.0.1' && url.pathname === path ? Number(url.port) : 0
}

interface Waiting {
  readonly server: Server
  readonly origin: string
  readonly signal: AbortSignal
}

async function waitForAnswer(
  { server, origin, signal }: Waiting,
  page: URL,
  show: LoopbackOptions['show'],
): Promise<URL> {
  const { promise, resolve, reject } = Promise.withResolvers<URL>()
  const stop = (): void => reject(signal.reason)
  const over = new AbortController()
  signal.addEventListener('abort', stop)
  server.on('request', (request, response) => {
    const url = answerIn(request, origin)
    if (url === undefined) sendPage(response, 404)
    // Any page in the browser can call us; only the issuer knows the state.
    else if (url.searchParams.get('state') !== page.searchParams.get('state')) sendPage(response, 400)
    else answered(response, url, resolve)
  })
  try {
    signal.throwIfAborted()
    const shown = async (): Promise<URL> => {
      await show(page, over.signal)
      return promise
    }
    return await Promise.race([promise, shown()])
  } finally {
    signal.removeEventListener('abort', stop)
    over.abort()
  }
}

function answerIn({ method, url = '', headers }: IncomingMessage, origin: string): URL | undefined {
  const parsed = URL.parse(url, origin)
  const isOurs = headers.host === new URL(origin).host && parsed?.origin === origin
  return method === 'GET' && isOurs && parsed.pathname === path ? parsed : undefined
}

/** First the page, then the answer: after it the server is closed. */
function answered(response: ServerResponse, url: URL, resolve: (url: URL) => void): void {
  response.once('close', () => resolve(url))
  sendPage(response, url.searchParams.has('code') ? 200 : 403)
}
