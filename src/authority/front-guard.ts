import type { IncomingMessage } from 'node:http'
import { formatAuthority, parseAuthority } from '../config/authority.ts'
import { isLoopback } from '../config/url-rules.ts'
import { Failure } from '../failure/failure.ts'

export interface HostRules {
  readonly issuer: string
  /** Where the authority listens: on loopback, loopback names are its own. */
  readonly listenHost: string
}

/** Against DNS rebinding: a page whose name now leads here must not act through its visitor's browser. */
export function createHostGuard({ issuer, listenHost }: HostRules): (request: IncomingMessage) => void {
  const own = new URL(issuer)
  const defaultPort = own.protocol === 'https:' ? 443 : 80
  const served = new Set([own.host, `${own.host}:${defaultPort}`])
  const isLocal = isLoopback(listenHost)
  return ({ headers, rawHeaders, url = '' }) => {
    const hosts = rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === 'host')
    const host = hosts.length === 1 ? parseAuthority(headers.host ?? '') : undefined
    if (host === undefined)
      throw new Failure('invalid-request', 'send one Host header, with a host or host:port')
    if (!plainTarget.test(url))
      throw new Failure(
        'invalid-request',
        'the request target must be a path of ASCII characters without spaces',
      )
    if (served.has(formatAuthority(host)) || (isLocal && loopbackNames.has(host.name))) return
    throw new Failure(
      'misdirected',
      'this server does not answer for that host; its name is authority.issuer',
    )
  }
}

const plainTarget = /^\/[\x21-\x7e]*$/

const loopbackNames: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]'])

/** The provider sees the issuer's scheme and host, whatever the caller or a proxy claims. */
export function showIssuer({ headers }: IncomingMessage, { host, protocol }: URL, address: string): void {
  for (const name of Object.keys(headers)) {
    if (name === 'forwarded' || name.startsWith('x-forwarded-') || name === 'x-real-ip') delete headers[name]
  }
  headers.host = host
  headers['x-forwarded-host'] = host
  headers['x-forwarded-proto'] = protocol.slice(0, -1)
  headers['x-forwarded-for'] = address
}
