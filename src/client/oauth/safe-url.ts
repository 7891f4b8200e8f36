import { ClientError } from '../client-error.ts'

/** Names one kind of address, for the error that refuses it. */
export interface UrlRule {
  readonly what: string
  /** Whether it may be on this machine: a server elsewhere must not send us to what listens here. */
  readonly mayBeLocal: boolean
}

/** An https address, or http on this machine; without credentials and fragment. */
export function safeUrl(text: string | URL, { what, mayBeLocal }: UrlRule): URL {
  const url = URL.parse(text)
  const refuse = (problem: string): never => {
    throw new ClientError('insecure_url', `${what} ${url?.origin ?? ''} ${problem}`.replaceAll('  ', ' '))
  }
  if (url === null) return refuse('must be an absolute URL')
  if (url.username !== '' || url.password !== '') return refuse('must not hold credentials')
  if (url.hash !== '') return refuse('must not have a fragment')
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLoopback(url)))
    return refuse('must be https; plain http is for this machine alone (127.0.0.1, [::1], localhost)')
  if (isLoopback(url) && !mayBeLocal) return refuse('is on this machine, but the server that names it is not')
  return url
}

export function isLoopback({ hostname }: URL): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(hostname)
}
