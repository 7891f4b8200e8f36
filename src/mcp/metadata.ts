import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { dpopAlgorithms } from '../auth/dpop-proof.ts'
import type { ToolSet } from './tool-set.ts'

export interface MetadataOptions {
  /** The identifier of the tool server: its URL. */
  readonly resource: string
  readonly authorizationServers: readonly string[]
  readonly tools: ToolSet
}

const wellKnown = '/.well-known/oauth-protected-resource'

/** Where the metadata of a resource is (RFC 9728, section 3.1): its path follows the well-known one. */
export function metadataUrl(resource: string): string {
  const { origin, pathname } = new URL(resource)
  return origin + wellKnown + (pathname === '/' ? '' : pathname)
}

/** Serves the document under both paths that clients try, to pages of every origin. */
export function mountMetadata(server: FastifyInstance, options: MetadataOptions): void {
  const paths = new Set([wellKnown, `${wellKnown}/mcp`, new URL(metadataUrl(options.resource)).pathname])
  const route = {
    config: {
      access: { open: 'RFC 9728: a client reads it before it has a token' },
      anyOrigin: true,
    },
  } as const
  const answer = (_request: FastifyRequest, reply: FastifyReply): FastifyReply =>
    reply
      .header('access-control-allow-origin', '*')
      .header('cache-control', 'public, max-age=300')
      .header('content-type', 'application/json; charset=utf-8')
      .send(JSON.stringify(metadataOf(options)))
  for (const path of paths) {
    server.get(path, route, answer)
    server.options(path, route, preflight)
  }
}

/** RFC 9728, section 2, and two members that clients look for: PKCE, and DPoP where a tool asks for it. */
function metadataOf({ resource, authorizationServers, tools }: MetadataOptions): object {
  return {
    resource,
    authorization_servers: authorizationServers,
    scopes_supported: tools.scopes(),
    bearer_methods_supported: ['header'],
    code_challenge_methods_supported: ['S256'],
    resource_name: 'Postern tool server',
    resource_documentation: 'https://modelcontextprotocol.io/specification/2026-07-28',
    ...(tools.requiresDpop() && { dpop_signing_alg_values_supported: dpopAlgorithms }),
  }
}

/** Clients in browsers add `MCP-Protocol-Version`, which takes a preflight. */
function preflight(_request: FastifyRequest, reply: FastifyReply): FastifyReply {
  return reply
    .code(204)
    .header('access-control-allow-origin', '*')
    .header('access-control-allow-methods', 'GET')
    .header('access-control-allow-headers', 'mcp-protocol-version')
    .header('access-control-max-age', '600')
    .send()
}
