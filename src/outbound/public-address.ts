import { BlockList, isIP } from 'node:net'

/** Whether an address belongs to the public Internet; what cannot be read is refused. */
export function isPublicAddress(address: string): boolean {
  const family = isIP(address)
  if (family === 4) return !reservedV4.check(address, 'ipv4')
  return family === 6 && globalV6.check(address, 'ipv6') && !reservedV6.check(address, 'ipv6')
}

/** The special-purpose registry of RFC 6890 with its later entries, and the metadata address outside of it. */
const reservedV4 = blockList('ipv4', [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['168.63.129.16', 32],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
])

/** Outside of it lie loopback, mapped IPv4, NAT64, unique-local, link-local and multicast. */
const globalV6 = blockList('ipv6', [['2000::', 3]])

/** Teredo and its neighbours, documentation, 6to4: their routes end at an IPv4 address, or nowhere. */
const reservedV6 = blockList('ipv6', [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
])

function blockList(
  family: 'ipv4' | 'ipv6',
  subnets: readonly (readonly [address: string, bits: number])[],
): BlockList {
  const list = new BlockList()
  for (const [address, bits] of subnets) list.addSubnet(address, bits, family)
  return list
}
