import type { FastifyRequest } from 'fastify'
import { formatAuthority, parseAuthority } from '../config/authority.ts'
import { Failure } from '../failure/failure.ts'
import { fragmentRefusal } from '../intake/request-target.ts'
import { createOriginPolicy, type OriginPolicy, type OriginSettings } from './origin-policy.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** For probes, which call by address: any Host will do. */
    readonly anyHost?: boolean
    /** For documents that say nothing about the caller: pages of every origin may read them. */
    readonly anyOrigin?: boolean
  }
}

/** Against DNS rebinding: a foreign site's page must not reach this server through its visitor's browser. */
export interface OriginGuard {
  /** The reason to refuse, if there is one. */
  readonly check: (request: FastifyRequest) => Failure | undefined
  /** The next request is judged by the new settings; bad settings throw and change nothing. */
  readonly replace: (settings: OriginSettings) => void
}

export function createOriginGuard(settings: OriginSettings): OriginGuard {
  let policy = createOriginPolicy(settings)
  return {
    check: (request) =>
      fragmentRefusal(request.raw.url ?? '') ?? refuseHost(request, policy) ?? refuseOrigin(request, policy),
    replace: (next) => {
      policy = createOriginPolicy(next)
    },
  }
}

function refuseHost(request: FastifyRequest, policy: OriginPolicy): Failure | undefined {
  const { headers, httpVersion, rawHeaders, url = '' } = request.raw
  const hosts = countHosts(rawHeaders)
  if (hosts > 1) return new Failure('invalid-request', 'send one Host header, not several')
  // HTTP/1.0 knows no Host, and simple probes still speak it.
  if (hosts === 0 && httpVersion === '1.0' && takesAnyHost(request)) return undefined
  const host = headers.host ?? ''
  const verdict = policy.judgeHost(host)
  if (verdict === 'malformed')
    return new Failure('invalid-request', 'the Host header must be host or host:port')
  if (url.charCodeAt(0) !== slash && !namesSameServer(url, host))
    return new Failure('invalid-request', 'the request target and the Host header must name the same server')
  if (verdict === 'served' || takesAnyHost(request)) return undefined
  const remedy = 'if it should, set server.publicUrl or add the name to server.allowedHosts'
  return new Failure('misdirected', `this server does not answer for the host ${host}; ${remedy}`)
}

function refuseOrigin(request: FastifyRequest, policy: OriginPolicy): Failure | undefined {
  const { host = '', origin } = request.raw.headers
  if (origin === undefined || policy.allowsOrigin(origin, host)) return undefined
  if (request.routeOptions.config.anyOrigin === true) return undefined
  return new Failure(
    'forbidden',
    'pages of this origin may not call; if they should, add it to server.allowedOrigins',
  )
}

/** Node keeps only the first of several Host headers, so they are counted where all of them still stand. */
function countHosts(rawHeaders: readonly string[]): number {
  let count = 0
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]
    if (name !== undefined && name.length === 4 && name.toLowerCase() === 'host') count += 1
  }
  return count
}

/** Of a target in absolute form the authority counts, not the Host header (RFC 9112 §3.2.2): they must agree. */
function namesSameServer(target: string, host: string): boolean {
  const named = parseAuthority(absoluteForm.exec(target)?.[1] ?? '')
  const asked = parseAuthority(host)
  return named !== undefined && asked !== undefined && formatAuthority(named) === formatAuthority(asked)
}

/** Read only when the host is foreign: Fastify builds this object anew on each access. */
function takesAnyHost(request: FastifyRequest): boolean {
  return request.routeOptions.config.anyHost === true
}

const slash = 47
const absoluteForm = /^https?:\/\/([^/?#]*)/i
