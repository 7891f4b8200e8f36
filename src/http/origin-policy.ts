import { type Authority, formatAuthority, parseAuthority } from '../config/authority.ts'
import { isLoopback } from '../config/url-rules.ts'
import { Failure } from '../failure/failure.ts'

export interface OriginSettings {
  /** Where the server listens: on loopback, loopback names are its own. */
  readonly listenHost: string
  readonly publicUrl: string
  readonly allowedHosts: readonly string[]
  readonly allowedOrigins: readonly string[]
}

/** Which Host and Origin values belong to this server. */
export interface OriginPolicy {
  readonly judgeHost: (host: string) => 'served' | 'foreign' | 'malformed'
  readonly allowsOrigin: (origin: string, host: string) => boolean
}

export function createOriginPolicy(settings: OriginSettings): OriginPolicy {
  const hosts = new Set([
    ...publicHosts(settings.publicUrl),
    ...settings.allowedHosts.flatMap(configuredHosts),
  ])
  const origins = new Set(
    [new URL(settings.publicUrl).origin, ...settings.allowedOrigins].map(configuredOrigin),
  )
  const isLocal = isLoopback(settings.listenHost)
  // Almost every request names the same host, so its spelling is worked out once.
  let lastServed: string | undefined
  return {
    judgeHost: (host) => {
      if (host === lastServed) return 'served'
      const authority = parseAuthority(host)
      if (authority === undefined) return 'malformed'
      const isServed = hosts.has(formatAuthority(authority)) || (isLocal && loopbackNames.has(authority.name))
      if (isServed) lastServed = host
      return isServed ? 'served' : 'foreign'
    },
    allowsOrigin: (origin, host) => {
      const normal = normalOrigin(origin)
      if (normal === undefined) return false
      return origins.has(normal) || (isLocal && isOwnLoopback(normal, host))
    },
  }
}

function publicHosts(publicUrl: string): readonly string[] {
  const { host, protocol } = new URL(publicUrl)
  const authority = parseAuthority(host)
  return authority === undefined ? [] : spellings(authority, protocol === 'https:' ? [443] : [80])
}

function configuredHosts(entry: string): readonly string[] {
  const authority = parseAuthority(entry)
  if (authority === undefined)
    throw new Failure('misconfigured', `"${entry}" must be a host name or host:port, such as gate.example`, {
      field: 'server.allowedHosts',
    })
  return spellings(authority, [80, 443])
}

/** Clients leave a default port out or write it; both mean the same server. */
function spellings({ name, port }: Authority, defaultPorts: readonly number[]): readonly string[] {
  if (port === undefined) return [name, ...defaultPorts.map((each) => `${name}:${each}`)]
  return defaultPorts.includes(port) ? [name, `${name}:${port}`] : [`${name}:${port}`]
}

/** `null` is what sandboxed frames and local files send: allowing it would allow everyone. */
function configuredOrigin(entry: string): string {
  const normal = normalOrigin(entry)
  if (normal !== undefined) return normal
  throw new Failure('misconfigured', `"${entry}" must be an origin, such as https://app.example`, {
    field: 'server.allowedOrigins',
  })
}

function normalOrigin(origin: string): string | undefined {
  const match = webOrigin.exec(origin)
  const authority = match === null ? undefined : parseAuthority(match[2] ?? '')
  if (authority === undefined) return undefined
  const isHttps = match?.[1]?.length === 5
  const port = authority.port === (isHttps ? 443 : 80) ? undefined : authority.port
  return `${isHttps ? 'https' : 'http'}://${formatAuthority({ name: authority.name, port })}`
}

function isOwnLoopback(origin: string, host: string): boolean {
  const authority = parseAuthority(host)
  return (
    authority !== undefined && loopbackNames.has(authority.name) && origin === normalOrigin(`http://${host}`)
  )
}

const loopbackNames: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]'])
const webOrigin = /^(https?):\/\/([^/?#]+)$/i
