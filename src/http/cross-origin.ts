import type { FastifyReply, FastifyRequest } from 'fastify'
import type { AllowedMethods } from './unknown-route.ts'

/**
 * CORS for a request whose origin the guard has let in: lets the page read the answer, errors included. True when the
 * request was a preflight and is answered. Without an Origin nothing is done.
 */
export function admitOrigin(
  request: FastifyRequest,
  reply: FastifyReply,
  allowedMethods: AllowedMethods,
): boolean {
  const { headers, method } = request.raw
  const { origin } = headers
  // A route for pages of every origin sets its own headers.
  if (origin === undefined || request.routeOptions.config.anyOrigin === true) return false
  // The origin itself and never `*`; no credentials, since none travel but those that a page sets by itself.
  reply.header('access-control-allow-origin', origin)
  reply.header('vary', 'Origin')
  if (method !== 'OPTIONS' || headers['access-control-request-method'] === undefined) {
    reply.header('access-control-expose-headers', exposed)
    return false
  }
  const methods = allowedMethods(request)
  if (methods.length === 0) return false
  answerPreflight(reply, methods, headers['access-control-request-headers'] ?? '')
  return true
}

const exposed = 'www-authenticate, link, x-total-count, x-request-id, retry-after, mcp-protocol-version'

function answerPreflight(reply: FastifyReply, methods: readonly string[], asked: string): void {
  const names = askedHeaders(asked)
  if (names.length > 0) reply.header('access-control-allow-headers', names.join(', '))
  reply
    .code(204)
    .header('access-control-allow-methods', methods.join(', '))
    .header('access-control-max-age', '600')
    .header('vary', 'Origin, Access-Control-Request-Method, Access-Control-Request-Headers')
    .send()
}

/** Those of the asked headers that some surface reads. */
function askedHeaders(asked: string): readonly string[] {
  const names = asked.slice(0, longestAsked).split(',')
  return [...new Set(names.map((name) => name.trim().toLowerCase()).filter((name) => readHeader.test(name)))]
}

const longestAsked = 4096
const readHeader =
  /^(?:authorization|content-type|accept|last-event-id|mcp-protocol-version|mcp-method|mcp-name|dpop|x-request-id|(?:mcp-param|x-goog)-[!#$%&'*+.^_`|~0-9a-z-]+)$/
