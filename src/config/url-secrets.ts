const mask = '***'
const secretParameter = /pass|pwd|secret|token|credential|auth|key|signature/i

/** The URL without its password and without the values of parameters that are named like secrets. */
export function maskUrl(text: string): string {
  const url = URL.parse(text)
  if (url === null || urlSecrets(text).length === 0) return text
  if (url.password !== '') url.password = mask
  for (const name of new Set(url.searchParams.keys()))
    if (secretParameter.test(name)) url.searchParams.set(name, mask)
  return url.href
}

/** The password of a URL and the values of parameters that are named like secrets, as written and as meant. */
export function urlSecrets(text: string): string[] {
  const url = URL.parse(text)
  if (url === null) return []
  const parameters = [...url.searchParams]
    .filter(([name]) => secretParameter.test(name))
    .map(([, value]) => value)
  return [...new Set([url.password, decoded(url.password), ...parameters])].filter((secret) => secret !== '')
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
