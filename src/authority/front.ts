import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Provider } from 'oidc-provider'
import { createCallerAddress } from '../config/caller-address.ts'
import { fragmentRefusal } from '../intake/request-target.ts'
import { createRareWarning } from '../log/rare-warning.ts'
import { bodyLimit } from './body-limit.ts'
import type { AuthorityContext } from './context.ts'
import { createBodyReader, hasBody, readForm, replay } from './front-body.ts'
import { createHostGuard, showIssuer } from './front-guard.ts'
import { allowRegistrationFromPages, setAnswerHeaders } from './front-headers.ts'
import { createRefuse } from './front-refusal.ts'
import type { Route } from './route.ts'

export interface FrontOptions {
  readonly context: AuthorityContext
  readonly routes: readonly Route[]
  readonly isReady: () => Promise<boolean>
}

/** Every request comes through here: guards first, then a page or endpoint of our own, else the provider. */
export function createFront({ context, routes, isReady }: FrontOptions): RequestListener {
  const { authority } = context.config
  const issuer = new URL(authority.issuer)
  const checkHost = createHostGuard({ issuer: authority.issuer, listenHost: authority.host })
  const callerAddress = createCallerAddress(authority.trustedProxies)
  const refuse = createRefuse(context.log)
  const warn = createRareWarning(context.log, () => performance.now())
  const handOver = providerHandler(context.provider)
  const readBody = createBodyReader(mostBodyBytes)

  async function answer(request: IncomingMessage, response: ServerResponse, path: string): Promise<void> {
    const refused = fragmentRefusal(request.url ?? '')
    if (refused !== undefined) throw refused
    if (path in probes) return answerProbe(response, path === '/healthz' || (await isReady()))
    checkHost(request)
    const { address, addressDoubt } = callerAddress(request)
    if (addressDoubt === 'untrusted-proxy') warn(unnamedProxy, addressDoubt)
    showIssuer(request, issuer, address)
    if (path === '/register' && allowRegistrationFromPages(request, response)) return
    const method = request.method ?? ''
    const most = bodyLimit(routes, { method, path })
    // What is not read must not pass for the next request, nor be waited for.
    if (most === 0 && hasBody(request)) response.setHeader('connection', 'close')
    const { bytes: body, release } = await readBody(request, most)
    try {
      const form = readForm(request, body)
      const found = findRoute(routes, { method, path, form })
      const forward = (url?: string): Promise<void> => handOver(replay(request, body, url), response)
      if (found === undefined) return await forward()
      const { route, params } = found
      return await route.handle({ request, response, params, form, body, address, forward })
    } finally {
      release()
    }
  }

  return (request, response) => {
    const requestId = setAnswerHeaders(response, issuer.protocol === 'https:')
    const [path = '/'] = (request.url ?? '/').split(/[?#]/, 1)
    answer(request, response, path).catch((problem: unknown) =>
      refuse({ request, response, requestId, path }, problem),
    )
  }
}

const unnamedProxy =
  'a request came through a proxy that authority.trustedProxies does not name: all behind it count as one address, and are throttled together'

/** For all callers together. Sign-ins and requests for tokens have about one KiB each. */
const mostBodyBytes = 16 * 1024 * 1024

const probes: Readonly<Record<string, true>> = { '/healthz': true, '/readyz': true }

function answerProbe(response: ServerResponse, isFine: boolean): void {
  response.writeHead(isFine ? 200 : 503, { 'content-type': 'application/json' })
  response.end(JSON.stringify({ status: isFine ? 'ok' : 'failed' }))
}

interface Wanted {
  readonly method: string
  readonly path: string
  readonly form: URLSearchParams
}

function findRoute(
  routes: readonly Route[],
  { method, path, form }: Wanted,
): { readonly route: Route; readonly params: Readonly<Record<string, string>> } | undefined {
  // Who asks for the head of an answer alone has it made all the same (RFC 9110, section 9.3.2).
  const asked = method === 'HEAD' ? 'GET' : method
  for (const route of routes) {
    const match = route.method === asked ? route.path.exec(path) : null
    if (match !== null && (route.when === undefined || route.when(form)))
      return { route, params: { ...match.groups } }
  }
  return undefined
}

/** Koa composes its handler once for each provider, not for each request. */
function providerHandler(
  provider: () => Provider,
): (request: IncomingMessage, response: ServerResponse) => Promise<void> {
  const handlers = new WeakMap<Provider, ReturnType<Provider['callback']>>()
  return async (request, response) => {
    const current = provider()
    const handler = handlers.get(current) ?? current.callback()
    handlers.set(current, handler)
    await handler(request, response)
  }
}
