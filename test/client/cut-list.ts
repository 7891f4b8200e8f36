import type { PageSource, SourcePage } from '../../src/client/page-source.ts'

interface CutList<T> {
  readonly source: PageSource<T>
  /** Every position asked for so far. */
  readonly asked: readonly (string | null)[]
}

/** A list cut into the given pages; the cursor of a page is its number. */
export function cutList<T>(cuts: readonly (readonly T[])[]): CutList<T> {
  const pages = cuts.length === 0 ? [[]] : cuts
  const asked: (string | null)[] = []
  const bodies = new Map<string | null, SourcePage<T>>(
    pages.map((items, index) => [
      index === 0 ? null : String(index),
      { items, next: index + 1 < pages.length ? String(index + 1) : null },
    ]),
  )
  const source = listOf(bodies)
  return {
    asked,
    source: (position, signal) => {
      asked.push(position)
      return source(position, signal)
    },
  }
}

export function listOf<T>(pages: ReadonlyMap<string | null, SourcePage<T>>): PageSource<T> {
  return async (position) => {
    const page = pages.get(position)
    if (page === undefined) throw new Error(`no page at ${position}`)
    return page
  }
}

export async function drain<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = []
  for await (const item of items) all.push(item)
  return all
}
