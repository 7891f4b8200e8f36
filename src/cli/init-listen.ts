import { listenHostComplaint } from '../config/url-rules.ts'

export interface ListenPlace {
  readonly host: string
  readonly port: number
}

/** `host:port`, with an IPv6 address in brackets. */
export function readListen(text: string): ListenPlace | undefined {
  const [, host = '', digits = ''] = /^(.+):(\d{1,5})$/.exec(text) ?? []
  const port = Number(digits)
  const name = host.replace(/^\[(.*)\]$/, '$1')
  const isGood = listenHostComplaint(name) === undefined && port >= 1 && port <= 65_535
  return isGood ? { host: name, port } : undefined
}

export function listenComplaint(text: string): string | undefined {
  return readListen(text) === undefined ? 'must be a host and a port, such as 127.0.0.1:8080' : undefined
}
