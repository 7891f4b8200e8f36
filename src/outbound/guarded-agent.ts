import { lookup as systemLookup } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import { Agent, buildConnector } from 'undici'
import { Failure } from '../failure/failure.ts'
import { isPublicAddress } from './public-address.ts'

export interface OutboundOptions {
  /** Plain http, and addresses that are not of the public Internet. */
  readonly allowPrivate: boolean
  readonly lookup?: LookupFunction
}

/** What is wrong with calling this URL, as far as it can be seen without a connection. */
export function outboundComplaint(url: URL, allowPrivate: boolean): string | undefined {
  if (allowPrivate) return undefined
  if (url.protocol !== 'https:') return `must use https, or its configuration must say "allowPrivate: true"`
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1')
  if (isIP(host) === 0 || isPublicAddress(host)) return undefined
  return `must not name the private or reserved address ${host}, or its configuration must say "allowPrivate: true"`
}

/** The address is judged where the connection is made, so a name cannot be judged as one address and reached as another. */
export function guardedAgent(options: OutboundOptions): Agent {
  return new Agent({
    allowH2: false,
    headersTimeout: 0,
    bodyTimeout: 0,
    keepAliveTimeout: 10_000,
    connect: guardedConnector(options),
  })
}

const connectTimeoutMs = 5000

function guardedConnector({
  allowPrivate,
  lookup = systemLookup,
}: OutboundOptions): buildConnector.connector {
  const settings = { allowH2: false, timeout: connectTimeoutMs }
  if (allowPrivate) return buildConnector({ ...settings, lookup })
  const connect = buildConnector({ ...settings, lookup: guardedLookup(lookup) })
  return (target, callback) => {
    if (isIP(target.hostname) !== 0 && !isPublicAddress(target.hostname)) {
      queueMicrotask(() => callback(refusal(target.hostname), null))
      return
    }
    connect(target, (error, socket) => {
      if (error !== null) return callback(error, null)
      if (isPublicAddress(socket.remoteAddress ?? '')) return callback(null, socket)
      socket.destroy()
      callback(refusal(target.hostname), null)
    })
  }
}

/** One forbidden address among the answers is enough: a name with both kinds is an attack or a mistake. */
function guardedLookup(lookup: LookupFunction): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, found) => {
      const addresses = typeof found === 'string' ? [{ address: found, family: isIP(found) }] : found
      const [first] = addresses ?? []
      if (error !== null || first === undefined) return callback(error ?? refusal(hostname), '')
      if (addresses.some(({ address }) => !isPublicAddress(address))) return callback(refusal(hostname), '')
      if (options.all === true) return callback(null, addresses)
      callback(null, first.address, first.family)
    })
  }
}

function refusal(host: string): Failure {
  return new Failure('forbidden', `${host} is at a private or reserved address, which must not be called`, {
    reason: 'private_address',
  })
}
