import { isIP, SocketAddress } from 'node:net'

/** An IPv6 caller has a whole /64 to choose addresses from; a mapped IPv4 address is that IPv4 address. */
export function addressBucket(address: string): string {
  const bare = address.replace(/%.*$/, '')
  if (isIP(bare) !== 6) return bare
  const { address: written } = new SocketAddress({ address: bare, family: 'ipv6' })
  const [, mapped] = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/.exec(written) ?? []
  if (mapped !== undefined) return mapped
  const [head = '', tail] = written.split('::')
  const left = head === '' ? [] : head.split(':')
  const right = tail === undefined || tail === '' ? [] : tail.split(':')
  const zeros = tail === undefined ? [] : Array.from({ length: 8 - left.length - right.length }, () => '0')
  return `${[...left, ...zeros, ...right].slice(0, 4).join(':')}::/64`
}
