/** The `host[:port]` of a request or of a setting, brought into one spelling: lower case, no trailing dot, canonical IPv6. */
export interface Authority {
  readonly name: string
  readonly port: number | undefined
}

/** Undefined for anything RFC 3986 does not allow in a Host field, userinfo included. */
export function parseAuthority(text: string): Authority | undefined {
  if (text.length > longest) return undefined
  const match = grammar.exec(text.toLowerCase())
  if (match === null) return undefined
  const [, bracketed, name = '', digits] = match
  const port = digits === undefined ? undefined : Number(digits)
  if (port !== undefined && (port === 0 || port > 65_535)) return undefined
  if (bracketed === undefined) return { name, port }
  const address = URL.parse(`http://${bracketed}`)?.hostname
  return address === undefined ? undefined : { name: address, port }
}

export function formatAuthority({ name, port }: Authority): string {
  return port === undefined ? name : `${name}:${port}`
}

/** A host name has at most 253 characters (RFC 1035), then a dot, a colon and five digits. */
const longest = 260
const grammar = /^(?:(\[[0-9a-f:.]+\])|([a-z0-9_](?:[a-z0-9_.-]*[a-z0-9_-])?)\.?)(?::(\d{1,5}))?$/
