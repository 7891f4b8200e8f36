const mask = '***'

/** The URL without what may be a secret in it; the names of its parameters stay. */
export function maskUrl(text: string): string {
  const url = URL.parse(text)
  if (url === null || urlSecrets(text).length === 0) return text
  if (url.password !== '') url.password = mask
  else if (hasSecretUser(url)) url.username = mask
  url.search = parametersOf(url)
    .map(({ start }) => start + mask)
    .join('&')
  return url.href
}

/** What may be a secret in a URL, as written and as meant: its password and the value of every parameter. */
export function urlSecrets(text: string): string[] {
  const url = URL.parse(text)
  if (url === null) return []
  const users = hasSecretUser(url) ? [url.username] : []
  const values = parametersOf(url).flatMap(({ value }) => [value, decoded(value.replaceAll('+', ' '))])
  const found = [...[url.password, ...users].flatMap((part) => [part, decoded(part)]), ...values]
  return [...new Set(found)].filter((secret) => secret !== '')
}

/** A user alone is a password to some servers and a token to others; to Postgres it is a name. */
function hasSecretUser({ protocol, username, password }: URL): boolean {
  return username !== '' && password === '' && !protocol.startsWith('postgres')
}

/** A parameter without `=` is all value. */
function parametersOf({ search }: URL): { readonly start: string; readonly value: string }[] {
  const parameters = search.slice(1).split('&')
  return parameters
    .filter((parameter) => parameter !== '')
    .map((parameter) => {
      const start = parameter.slice(0, parameter.indexOf('=') + 1)
      return { start, value: parameter.slice(start.length) }
    })
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
