import { isIP } from 'node:net'
import { parseAuthority } from './authority.ts'

/** `localhost`, its subdomains, 127.0.0.0/8 and ::1; an IPv6 address with or without brackets. */
export function isLoopback(host: string): boolean {
  const name = host.replace(/^\[(.*)\]$/, '$1').toLowerCase()
  if (isIP(name) === 4) return name.startsWith('127.')
  return name === '::1' || name === 'localhost' || name.endsWith('.localhost')
}

/** What is wrong with an absolute http or https URL, or nothing. */
export function httpUrlComplaint(text: string): string | undefined {
  const url = URL.parse(text)
  if (url === null || !/^https?:\/\/[^/]/i.test(text)) return 'must be an absolute http or https URL'
  if (url.username !== '' || url.password !== '') return 'must not hold a user name or password'
  if (text.includes('#')) return 'must not have a fragment ("#…")'
  return undefined
}

/** Plain http is for loopback only: a token or a document of keys would cross the network in the open. */
export function secureUrlComplaint(text: string): string | undefined {
  const url = URL.parse(text)
  if (url?.protocol === 'http:' && !isLoopback(url.hostname)) {
    return (
      httpUrlComplaint(text) ??
      'must use https: plain http is only for loopback (localhost, 127.0.0.1, [::1])'
    )
  }
  return httpUrlComplaint(text)
}

/** An issuer identifier (RFC 8414, section 2) and a public URL are bare: no query either. */
export function bareUrlComplaint(text: string): string | undefined {
  return secureUrlComplaint(text) ?? (text.includes('?') ? 'must not have a query ("?…")' : undefined)
}

export function publicUrlComplaint(text: string): string | undefined {
  const complaint = bareUrlComplaint(text) ?? (text.endsWith('/') ? 'must not end in a slash' : undefined)
  if (complaint !== undefined || isHostHeader(URL.parse(text)?.host)) return complaint
  return 'must name a host that a client can send in its Host header, such as https://gate.example'
}

/** The authority has an origin of its own: paths, cookies and well-known documents begin at its root. */
export function ownIssuerComplaint(text: string): string | undefined {
  const complaint = publicUrlComplaint(text)
  const origin = URL.parse(text)?.origin
  if (complaint !== undefined || origin === text) return complaint
  return `must be scheme, host and port alone, without a path, as clients compare it letter by letter; here that is ${origin}`
}

export function originComplaint(text: string): string | undefined {
  if (text === 'null' || text.includes('*')) {
    return `must be one origin, such as https://app.example; "${text === 'null' ? text : '*'}" would let in pages nobody named`
  }
  const url = URL.parse(text)
  const right = 'must be an origin exactly: scheme, host and port, such as https://app.example'
  const isWeb = url?.protocol === 'https:' || url?.protocol === 'http:'
  if (!isWeb || url.username !== '' || url.password !== '' || !isHostHeader(url.host)) return right
  return url.origin === text ? undefined : `${right}; here that is ${url.origin}`
}

export function hostHeaderComplaint(text: string): string | undefined {
  const isHost = ['http', 'https'].some((scheme) => URL.parse(`${scheme}://${text}`)?.host === text)
  if (isHost && isHostHeader(text)) return undefined
  return 'must be a host, or host:port, in lower case, without scheme, path or wildcard'
}

export function listenHostComplaint(text: string): string | undefined {
  const isHost =
    isIP(text) !== 0 ||
    /^(?=.{1,253}$)[A-Za-z0-9](?:[A-Za-z0-9-]{0,62})(?:\.[A-Za-z0-9][A-Za-z0-9-]{0,62})*$/.test(text)
  return isHost ? undefined : 'must be a host name or an IP address, without scheme, port or brackets'
}

/** The server compares hosts as it reads them, so one that it cannot read would never match. */
function isHostHeader(text: string | undefined): boolean {
  return text !== undefined && parseAuthority(text) !== undefined
}
