export interface Link {
  readonly target: string
  readonly parameters: ReadonlyMap<string, string>
}

/** RFC 8288, appendix B.2 and B.3, written from its text and from nothing else. */
export function parseLinkHeader(field: string): Link[] {
  const links: Link[] = []
  let rest = field.trimStart()
  while (rest !== '') {
    if (!rest.startsWith('<') || !rest.includes('>')) throw new Error(`not a link-value: ${rest}`)
    const target = rest.slice(1, rest.indexOf('>'))
    const [parameters, after] = parseParameters(rest.slice(rest.indexOf('>') + 1))
    links.push({ target, parameters })
    rest = after.trimStart()
    if (rest === '') break
    if (!rest.startsWith(',')) throw new Error(`no comma between links: ${rest}`)
    rest = rest.slice(1).trimStart()
  }
  return links
}

/** What @octokit/plugin-paginate-rest finds; it wants `rel` first, quoted, and alone. */
export function octokitTarget(field: string, relation: string): string | undefined {
  return new RegExp(`<([^<>]+)>;\\s*rel="${relation}"`).exec(field)?.[1]
}

export function targetOf(field: string, relation: string): string | undefined {
  const found = parseLinkHeader(field).filter(({ parameters }) => parameters.get('rel') === relation)
  if (found.length > 1) throw new Error(`two links are ${relation}`)
  return found[0]?.target
}

function parseParameters(text: string): [Map<string, string>, string] {
  const parameters = new Map<string, string>()
  let rest = text.trimStart()
  while (rest.startsWith(';')) {
    const name = /^;[\t ]*([^\t =;,]*)[\t ]*/.exec(rest)
    rest = rest.slice(name?.[0].length)
    let value = ''
    if (rest.startsWith('=')) [value, rest] = parseValue(rest.slice(1).trimStart())
    parameters.set((name?.[1] ?? '').toLowerCase(), value)
    rest = rest.trimStart()
  }
  return [parameters, rest]
}

function parseValue(text: string): [string, string] {
  if (!text.startsWith('"')) {
    const token = /^[^;,]*/.exec(text)?.[0] ?? ''
    return [token.trimEnd(), text.slice(token.length)]
  }
  const quoted = /^"((?:[^"\\]|\\.)*)"/.exec(text)
  if (quoted === null) throw new Error(`a quote is not closed: ${text}`)
  return [(quoted[1] ?? '').replaceAll(/\\(.)/g, '$1'), text.slice(quoted[0].length)]
}
