import { fittingName } from './source-names.ts'

/** What the configuration says about the scopes of a source's tools. */
export interface ConfiguredScopes {
  /** Of the source; its tools may be named without it. */
  readonly source: string
  readonly scopes: Readonly<Record<string, readonly string[]>>
}

/**
 * The scopes that the configuration gives to a tool; undefined when it says nothing. The tool may be named as it is
 * served, without the prefix of its source, or as the source itself names it, such as files/read. Where several such
 * names mean the same tool, all their scopes are needed.
 */
export function configuredScopes(
  { source, scopes }: ConfiguredScopes,
  tool: string,
): readonly string[] | undefined {
  const given = Object.entries(scopes).filter(([key]) => key !== all && means(key, tool, source))
  if (given.length > 0) return [...new Set(given.flatMap(([, needed]) => needed))]
  return Object.hasOwn(scopes, all) ? scopes[all] : undefined
}

/** The names that mean no tool. A misspelt one would leave a tool with less protection than its owner believes. */
export function strayNames(
  { source, scopes }: ConfiguredScopes,
  tools: readonly { readonly name: string }[],
): readonly string[] {
  return Object.keys(scopes).filter(
    (key) => key !== all && !tools.some(({ name }) => means(key, name, source)),
  )
}

const all = '*'

/** A name that could not be served is that of the source, which knows nothing of a prefix. */
function means(key: string, tool: string, source: string): boolean {
  return key === tool || fittingName(key) === unprefixed(tool, source)
}

function unprefixed(tool: string, source: string): string {
  return tool.startsWith(`${source}_`) ? tool.slice(source.length + 1) : tool
}
