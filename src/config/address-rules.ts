const encodeHint = 'percent-encode special characters in the user name and password'

export function storeComplaint(text: string): string | undefined {
  if (text.startsWith('sqlite://'))
    return 'must name the file right after "sqlite:", as in sqlite:./data/postern.db'
  if (/^sqlite:.*\S/.test(text)) return undefined
  return serverComplaint(text, {
    schemes: /^postgres(?:ql)?:\/\//,
    right: 'must be sqlite:PATH or postgres://user:password@host:port/database',
  })
}

export function sharedComplaint(text: string): string | undefined {
  const right = 'must be redis://host:port, rediss://host:port (TLS) or valkey://host:port'
  const complaint = serverComplaint(text, { schemes: /^(?:rediss?|valkey):\/\/[^/?#]/, right })
  if (complaint !== undefined || /^\/?\d{0,5}$/.test(URL.parse(text)?.pathname ?? '')) return complaint
  return `${right}; only the number of a database may follow, as in redis://host:port/1`
}

function serverComplaint(
  text: string,
  { schemes, right }: { schemes: RegExp; right: string },
): string | undefined {
  if (!schemes.test(text)) return right
  const url = URL.parse(text)
  if (url === null || url.hash !== '' || url.pathname.includes('@')) return `${right}; ${encodeHint}`
  return undefined
}
