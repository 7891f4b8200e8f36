/** A name in which `*` stands for any text. */
export function matchesName(pattern: string, name: string): boolean {
  const [first = '', ...rest] = pattern.split('*')
  if (rest.length === 0) return pattern === name
  if (!name.startsWith(first)) return false
  let at = first.length
  for (const [index, part] of rest.entries()) {
    if (index === rest.length - 1) return name.length - part.length >= at && name.endsWith(part)
    const found = name.indexOf(part, at)
    if (found === -1) return false
    at = found + part.length
  }
  return true
}
