/**
 * One spelling of a resource identifier: scheme and host in lower case, without one trailing slash. Nothing else is
 * touched, so that no path, port or encoding can be made to look like ours.
 */
export function canonicalResource(text: string): string {
  const match = /^([A-Za-z][A-Za-z0-9+.-]*:\/\/[^/?#]*)(.*)$/s.exec(text)
  if (match === null) return text
  const [, origin = '', rest = ''] = match
  return lowerAscii(origin) + (rest.endsWith('/') ? rest.slice(0, -1) : rest)
}

/** `toLowerCase` would turn the Kelvin sign into a k. */
function lowerAscii(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase())
}
