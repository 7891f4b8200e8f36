/** Where a client may be sent back to with a code: https, this machine, or an app by a scheme that is its own (RFC 8252). */
export function redirectUriComplaint(text: string): string | undefined {
  const url = URL.parse(text)
  if (url === null) return right
  if (text.includes('#')) return 'must not have a fragment ("#…")'
  if (url.username !== '' || url.password !== '') return 'must not hold a user name or password'
  if (text.includes('*')) return 'must be one address exactly: "*" has no meaning in it'
  if (url.protocol === 'https:') return /^https:\/\/[^/]/i.test(text) ? undefined : right
  if (url.protocol === 'http:') return loopback.has(url.hostname) ? undefined : `${right}; ${plainHttp}`
  // A scheme with a dot is a domain turned round, so javascript:, data: and file: are none.
  return url.protocol.includes('.') ? undefined : `${right}; ${ownScheme}`
}

/** No other spelling: whoever is sent there should see at once that it is this machine. */
const loopback: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]'])

const right =
  'must be an https URL, an http URL of loopback (http://127.0.0.1/callback), or begin with a scheme of the app (com.example.app:/callback)'
const plainHttp = 'plain http would show the code to the network'
const ownScheme = 'the scheme of an app has a dot, as it is a domain of its maker turned round'
