import { isIP } from 'node:net'

/** An IP address, or a range of them in CIDR notation. */
export function addressRangeComplaint(text: string): string | undefined {
  const [, address = '', bits] = /^([^/]*)(?:\/(\d{1,3}))?$/.exec(text) ?? []
  const longest = { 0: 0, 4: 32, 6: 128 }[isIP(address)] ?? 0
  if (longest === 0 || address.includes('%') || Number(bits ?? longest) > longest)
    return 'must be an IP address or a range, such as 10.1.2.3, 10.1.2.0/28 or fd00::/8'
  return Number(bits ?? longest) === 0 ? 'must not be every address there is: name the proxies' : undefined
}
