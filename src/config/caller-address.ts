import { BlockList, isIP } from 'node:net'

/** Where a request came from, as far as that can be told. */
export interface CallerAddress {
  /** The nearest one that is not a trusted proxy, or the last of these; what lies beyond it can be made up. */
  readonly address: string
  /** Why it may be another's than the caller's. */
  readonly addressDoubt: AddressDoubt | undefined
}

/** A proxy that is not trusted passed the request on, or trusted ones name nobody but each other. */
export type AddressDoubt = 'untrusted-proxy' | 'unnamed-caller'

/** What is read of a request of Node. */
interface ReceivedRequest {
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  readonly socket: { readonly remoteAddress?: string | undefined }
}

export type FindCallerAddress = (request: ReceivedRequest) => CallerAddress

/** The meaning of `server.trustedProxies` and of `authority.trustedProxies`. */
export function createCallerAddress(trustedProxies: readonly string[]): FindCallerAddress {
  const trusted = new BlockList()
  for (const range of trustedProxies) addRange(trusted, range)
  const isTrusted = (address: string): boolean =>
    trustedProxies.length > 0 && isIP(address) !== 0 && trusted.check(address, familyOf(address))
  return ({ headers, socket }) => {
    let address = plain(socket.remoteAddress ?? '')
    if (!isTrusted(address))
      return { address, addressDoubt: isPassedOn(headers) ? 'untrusted-proxy' : undefined }
    // Node joins repeated headers in their order. An empty entry counts: what stands before it is not from our proxy.
    const claims = String(headers['x-forwarded-for'] ?? '').split(',')
    for (const claim of claims.reverse()) {
      const next = plain(withoutPort(claim.trim()))
      if (isIP(next) === 0) break
      address = next
      if (!isTrusted(address)) return { address, addressDoubt: undefined }
    }
    return { address, addressDoubt: 'unnamed-caller' }
  }
}

function addRange(list: BlockList, range: string): void {
  const [address = '', bits] = range.split('/')
  if (bits === undefined) list.addAddress(address, familyOf(address))
  else list.addSubnet(address, Number(bits), familyOf(address))
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 6 ? 'ipv6' : 'ipv4'
}

/** Clients send none of these by themselves. */
function isPassedOn(headers: ReceivedRequest['headers']): boolean {
  return proxyHeaders.some((name) => headers[name] !== undefined)
}

const proxyHeaders = [
  'x-forwarded-for',
  'forwarded',
  'via',
  'x-forwarded-host',
  'x-forwarded-proto',
  'x-real-ip',
] as const

/** Some proxies name the port as well. */
function withoutPort(text: string): string {
  return text.replace(/^\[(.+)\](?::\d+)?$|^(\d+\.\d+\.\d+\.\d+):\d+$/, '$1$2')
}

/** A socket for both families shows IPv4 addresses as mapped ones. */
function plain(address: string): string {
  return address.replace(/^::ffff:(?=\d+\.)/i, '')
}
