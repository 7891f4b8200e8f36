import { toolName } from './define-tool.ts'

export interface NamedTools<Item> {
  readonly named: readonly { readonly name: string; readonly item: Item }[]
  /** Names that two tools would have had, and names that do not fit; none of their tools is taken. */
  readonly refused: readonly string[]
}

/** `<source>_<tool>`, with `_` for what a tool name must not hold. Which of two equal names is meant cannot be known, so neither is. */
export function prefixedTools<Item>(
  source: string,
  items: readonly Item[],
  nameOf: (item: Item) => string,
): NamedTools<Item> {
  const all = items.map((item) => ({
    name: `${source}_${fittingName(nameOf(item))}`,
    item,
  }))
  const counts = new Map<string, number>()
  for (const { name } of all) counts.set(name, (counts.get(name) ?? 0) + 1)
  const isTaken = ({ name }: { readonly name: string }): boolean =>
    counts.get(name) === 1 && toolName.test(name)
  return {
    named: all.filter(isTaken),
    refused: [
      ...new Set(all.filter((entry) => !isTaken(entry)).map(({ name }) => name.slice(0, shownLength))),
    ],
  }
}

const shownLength = 160

/** A tool's own name, such as files/read, as it is served. */
export function fittingName(name: string): string {
  return name.replace(/[^A-Za-z0-9_.-]+/g, '_')
}
