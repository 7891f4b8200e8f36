import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from 'fastify'
import { Failure } from '../failure/failure.ts'

export type UnknownRoute = (request: FastifyRequest, reply: FastifyReply) => Failure | undefined

/** Refuses before the body is read: 405 with `Allow` where the path exists, else 404. */
export function refuseUnknownRoutes(server: FastifyInstance): UnknownRoute {
  const methods = new Set<HTTPMethods>()
  server.addHook('onRoute', (route) => {
    for (const method of [route.method].flat()) methods.add(method)
  })
  return (request, reply) => {
    if (!request.is404) return undefined
    const url = request.raw.url ?? '/'
    const allowed = [...methods].filter((method) => server.findRoute({ method, url }) !== null).sort()
    if (allowed.length === 0) return new Failure('not-found', 'there is nothing under this path')
    reply.header('allow', allowed.join(', '))
    return new Failure('not-allowed', `this path takes ${allowed.join(', ')}`)
  }
}
