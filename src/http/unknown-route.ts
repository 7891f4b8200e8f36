import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from 'fastify'
import { Failure } from '../failure/failure.ts'

/** The methods that the path of a request takes; none where there is no such path. */
export type AllowedMethods = (request: FastifyRequest) => readonly string[]

/** Called before the first route is added. Fastify finds a route by its pattern, not by a path that fits the pattern. */
export function collectMethods(server: FastifyInstance): AllowedMethods {
  const routes = new Map<string, { readonly pattern: RegExp; readonly methods: Set<HTTPMethods> }>()
  server.addHook('onRoute', ({ url, method }) => {
    const known = routes.get(url) ?? { pattern: patternOf(url), methods: new Set() }
    for (const one of [method].flat()) known.methods.add(one)
    routes.set(url, known)
  })
  return ({ raw: { url = '/' } }) => {
    const path = pathOf(url)
    const fitting = [...routes.values()].filter(({ pattern }) => pattern.test(path))
    return [...new Set(fitting.flatMap(({ methods }) => [...methods]))].sort()
  }
}

/** Of a route: `:name` is one segment or a part of one, `*` the rest, `::` a colon. */
function patternOf(route: string): RegExp {
  const text = route.replace(special, (part) => {
    if (part === '::') return ':'
    if (part === '*') return '.*'
    return part.startsWith(':') ? '[^/]+' : `\\${part}`
  })
  return new RegExp(`^${text}$`, 's')
}

const special = /::|:\w+(?:\([^)]*\))?\??|[*.+?^${}()|[\]\\]/g

function pathOf(url: string): string {
  const end = url.search(/[?#]/)
  const path = (end === -1 ? url : url.slice(0, end)).replace(/^https?:\/\/[^/]*/i, '')
  try {
    return decodeURI(path)
  } catch {
    return path
  }
}

export type UnknownRoute = (request: FastifyRequest, reply: FastifyReply) => Failure | undefined

/** Refuses before the body is read: 405 with `Allow` where the path exists, else 404. */
export function refuseUnknownRoutes(allowedMethods: AllowedMethods): UnknownRoute {
  return (request, reply) => {
    if (!request.is404) return undefined
    const allowed = allowedMethods(request)
    if (allowed.length === 0) return new Failure('not-found', 'there is nothing under this path')
    reply.header('allow', allowed.join(', '))
    return new Failure('not-allowed', `this path takes ${allowed.join(', ')}`)
  }
}
