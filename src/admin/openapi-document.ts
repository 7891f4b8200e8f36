import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ownScopes } from '../config/own-scopes.ts'
import { openApiParts } from './openapi-parts.ts'
import { pathItem } from './openapi-path.ts'
import type { Operation } from './operation.ts'

export interface OpenApiOptions {
  readonly publicUrl: string
  readonly authorizationServers: readonly string[]
  readonly operations: readonly Operation[]
}

/** `GET /openapi.json`: made of the operations that are served, so it cannot say anything else. */
export function mountOpenApi(scope: FastifyInstance, options: OpenApiOptions): void {
  const text = JSON.stringify(openApiDocument(options))
  scope.get(
    '/openapi.json',
    { config: { access: { open: 'it describes the API and nothing in it' }, anyOrigin: true } },
    (_request: FastifyRequest, reply: FastifyReply) =>
      reply
        .header('access-control-allow-origin', '*')
        .header('cache-control', 'public, max-age=300')
        .header('content-type', 'application/json; charset=utf-8')
        .send(text),
  )
}

function openApiDocument({ publicUrl, authorizationServers, operations }: OpenApiOptions): object {
  const paths = Map.groupBy(operations, ({ path }) => path)
  const server = authorizationServers[0] ?? publicUrl
  return {
    openapi: '3.1.0',
    info: { title: 'Postern administration API', version: 'v1', description },
    servers: [{ url: `${publicUrl}/api/v1` }],
    paths: Object.fromEntries([...paths].map(([path, all]) => [path, pathItem(all)])),
    components: {
      ...openApiParts,
      schemas: { ...openApiParts.schemas, ...namedSchemas(operations) },
      securitySchemes: {
        oauth2: {
          type: 'oauth2',
          description: `Tokens for the resource ${publicUrl}/api; its metadata names the authorization servers.`,
          flows: {
            authorizationCode: {
              authorizationUrl: `${server}/authorize`,
              tokenUrl: `${server}/token`,
              scopes: Object.fromEntries(
                ownScopes('api', '').map(({ name, description: meaning }) => [name, meaning]),
              ),
            },
          },
        },
      },
    },
  }
}

const description = `Sessions, events, keys, service accounts and usage of a gateway.
Lists come in pages. Offset style takes \`offset\` and \`limit\` and answers with \`total\`; cursor style takes \`cursor\` and
\`limit\` and answers with \`next_cursor\`, which is null where \`has_more\` is false. \`Link\` (RFC 8288) says the same as the body.
Cursors are opaque, expire, and work only with the list, the filters and the order they were given for.
Errors are problem details (RFC 9457).`

/** Each schema that has a title, once. */
function namedSchemas(operations: readonly Operation[]): Readonly<Record<string, object>> {
  const all = operations.flatMap(({ answer, body }) => [answer ?? [], body ?? []].flat())
  return Object.fromEntries(all.map((schema) => [String(Reflect.get(schema, 'title')), schema]))
}
