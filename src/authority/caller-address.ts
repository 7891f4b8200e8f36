import type { IncomingMessage } from 'node:http'
import { BlockList, isIP } from 'node:net'

export type CallerAddress = (request: IncomingMessage) => string

/** The nearest address that is not one of the trusted proxies; what lies beyond it can be made up. */
export function createCallerAddress(trustedProxies: readonly string[]): CallerAddress {
  const trusted = new BlockList()
  for (const range of trustedProxies) addRange(trusted, range)
  const isTrusted = (address: string): boolean =>
    isIP(address) !== 0 && trusted.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4')
  return ({ headers, socket }) => {
    const nearest = plain(socket.remoteAddress ?? '')
    const claimed = String(headers['x-forwarded-for'] ?? '')
      .split(',')
      .map((text) => plain(withoutPort(text.trim())))
    let caller = nearest
    for (let next = claimed.pop(); next !== undefined && isTrusted(caller); next = claimed.pop()) {
      if (isIP(next) === 0) break
      caller = next
    }
    return caller
  }
}

function addRange(list: BlockList, range: string): void {
  const [address = '', bits] = range.split('/')
  const family = isIP(address) === 6 ? 'ipv6' : 'ipv4'
  if (bits === undefined) list.addAddress(address, family)
  else list.addSubnet(address, Number(bits), family)
}

/** Some proxies name the port as well. */
function withoutPort(text: string): string {
  return text.replace(/^\[(.+)\](?::\d+)?$|^(\d+\.\d+\.\d+\.\d+):\d+$/, '$1$2')
}

/** A socket for both families shows IPv4 addresses as mapped ones. */
function plain(address: string): string {
  return address.replace(/^::ffff:(?=\d+\.)/i, '')
}
