import { createServer, type RequestListener, type Server } from 'node:http'
import { isIPv6 } from 'node:net'
import { Failure } from '../failure/failure.ts'

export interface HttpListener {
  readonly url: string
  /** Answers what is in flight, then closes; who takes longer than the grace is cut. */
  readonly stop: () => Promise<void>
}

export async function listen(
  handle: RequestListener,
  { host, port }: { readonly host: string; readonly port: number },
): Promise<HttpListener> {
  let isStopping = false
  const server = createServer(limits, (request, response) => {
    if (isStopping) response.setHeader('connection', 'close')
    // Who was promised another request before the stop began is left with an idle connection after it.
    response.once('close', () => isStopping && server.closeIdleConnections())
    return handle(request, response)
  })
  server.setTimeout(idleMs)
  server.maxConnections = mostConnections
  try {
    await listening(server, { host, port })
  } catch (cause) {
    const message = `cannot listen on ${shown(host)}:${port} (${codeOf(cause)}); set authority.host and authority.port to an address and a free port of this machine`
    throw new Failure('misconfigured', message, { cause, field: 'authority.port' })
  }
  const address = server.address()
  const actual = typeof address === 'object' && address !== null ? address.port : port
  return {
    url: `http://${shown(host)}:${actual}`,
    stop: async () => {
      isStopping = true
      const cut = setTimeout(() => server.closeAllConnections(), graceMs)
      await new Promise<void>((resolve) => server.close(() => resolve()))
      clearTimeout(cut)
    },
  }
}

const limits = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  keepAliveTimeout: 72_000,
  connectionsCheckingInterval: 2000,
  // The guard says what is wrong with a missing Host; Node's own answer is empty.
  requireHostHeader: false,
}
const idleMs = 90_000
const graceMs = 10_000
/** At their worst, with headers and a body half sent, they hold about 70 KiB each. */
const mostConnections = 2000

function listening(server: Server, at: { readonly host: string; readonly port: number }): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('listening', resolve).once('error', reject).listen(at)
  })
}

function shown(host: string): string {
  return isIPv6(host) ? `[${host}]` : host
}

function codeOf(cause: unknown): string {
  return cause instanceof Error && 'code' in cause ? String(cause.code) : 'for an unknown reason'
}
