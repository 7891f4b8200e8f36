import { isIP } from 'node:net'
import { isLoopback } from './url-rules.ts'

export type DerivedUrl =
  | { readonly url: string }
  | { readonly because: 'server.host' | 'server.port'; readonly complaint: string }

/** The public URL that follows from where the gateway listens, or why there is none; a refused port is left aside. */
export function derivedPublicUrl(host: string, port: number | undefined): DerivedUrl {
  if (/^(?:0\.0\.0\.0|[0:]+)$/.test(host)) {
    return missing('server.host', `host ${host} means every address, and none that a client could call`)
  }
  if (!isLoopback(host)) {
    return missing('server.host', `host ${host} is not loopback, so clients must come over https`)
  }
  if (port === 0) return missing('server.port', 'port 0 means any free port, which is not known yet')
  return { url: `http://${isIP(host) === 6 ? `[${host}]` : host}:${port}` }
}

function missing(because: 'server.host' | 'server.port', reason: string): DerivedUrl {
  const cure = 'set it to the URL by which clients reach the gateway, such as https://gate.example'
  return { because, complaint: `is missing: ${reason}; ${cure}` }
}
