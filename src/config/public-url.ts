import { isIP } from 'node:net'
import { isLoopback } from './url-rules.ts'

/** A program that listens, and the URL of it that clients know. */
export interface Listener {
  readonly section: 'server' | 'authority'
  readonly key: 'publicUrl' | 'issuer'
  /** How a missing URL is mended. */
  readonly cure: string
}

export const gatewayListener: Listener = {
  section: 'server',
  key: 'publicUrl',
  cure: 'set it to the URL by which clients reach the gateway, such as https://gate.example',
}

export const authorityListener: Listener = {
  section: 'authority',
  key: 'issuer',
  cure: 'set it to the URL by which browsers and clients reach the authority, such as https://login.example',
}

export const listeners: readonly Listener[] = [gatewayListener, authorityListener]

export type DerivedUrl =
  | { readonly url: string }
  /** `because` is the key at fault, such as `server.host`. */
  | { readonly because: string; readonly complaint: string }

/** The URL that follows from where a program listens, or why there is none; a refused port is left aside. */
export function derivedUrl(
  { section, cure }: Listener,
  { host, port }: { readonly host: string; readonly port: number | undefined },
): DerivedUrl {
  const missing = (key: 'host' | 'port', reason: string): DerivedUrl => ({
    because: `${section}.${key}`,
    complaint: `is missing: ${reason}; ${cure}`,
  })
  if (/^(?:0\.0\.0\.0|[0:]+)$/.test(host))
    return missing('host', `host ${host} means every address, and none that a client could call`)
  if (!isLoopback(host))
    return missing('host', `host ${host} is not loopback, so clients must come over https`)
  if (port === 0) return missing('port', 'port 0 means any free port, which is not known yet')
  return { url: `http://${isIP(host) === 6 ? `[${host}]` : host}:${port}` }
}
