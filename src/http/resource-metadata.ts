import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

export interface ResourceMetadata {
  /** The identifier of the resource: its URL. */
  readonly resource: string
  readonly name: string
  readonly documentation: string
  readonly authorizationServers: readonly string[]
  readonly scopes: () => readonly string[]
  /** Further members. */
  readonly extra?: () => Readonly<Record<string, unknown>>
  /** Further paths under which clients look for it. */
  readonly alsoAt?: readonly string[]
}

export const wellKnownResource = '/.well-known/oauth-protected-resource'

/** Where the metadata of a resource is (RFC 9728, section 3.1): its path follows the well-known one. */
export function metadataUrl(resource: string): string {
  const { origin, pathname } = new URL(resource)
  return origin + wellKnownResource + (pathname === '/' ? '' : pathname)
}

/** Serves the document to everyone, pages of every origin included. */
export function mountResourceMetadata(server: FastifyInstance, metadata: ResourceMetadata): void {
  const paths = new Set([...(metadata.alsoAt ?? []), new URL(metadataUrl(metadata.resource)).pathname])
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
      .send(JSON.stringify(documentOf(metadata)))
  for (const path of paths) {
    server.get(path, route, answer)
    server.options(path, route, preflight)
  }
}

/** RFC 9728, section 2, and one member that clients look for: PKCE. */
function documentOf(metadata: ResourceMetadata): object {
  return {
    resource: metadata.resource,
    authorization_servers: metadata.authorizationServers,
    scopes_supported: metadata.scopes(),
    bearer_methods_supported: ['header'],
    code_challenge_methods_supported: ['S256'],
    resource_name: metadata.name,
    resource_documentation: metadata.documentation,
    ...metadata.extra?.(),
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
