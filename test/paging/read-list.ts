import { compilePage } from '../../src/paging/compile-page.ts'
import type { Page } from '../../src/paging/page.ts'
import type { PageContext } from '../../src/paging/page-request.ts'
import type { Pager } from '../../src/paging/pager.ts'
import type { Statement } from '../../src/paging/sql-writer.ts'
import type { RawEngine } from './raw-engines.ts'

export interface ListUnderTest {
  readonly engine: RawEngine
  readonly pager: Pager<object>
  readonly source: Statement
  readonly context?: PageContext
}

export async function readList(
  { engine, pager, source, context = {} }: ListUnderTest,
  query: Readonly<Record<string, string | undefined>>,
): Promise<Page<object>> {
  const request = pager.parse(query, context)
  const { sql, params } = compilePage(pager.plan(request), source, engine.dialect)
  return pager.finish(request, await engine.all(sql, params))
}

/** Every page from the first to the last; `limits` is used round and round. */
export async function walkPages(list: ListUnderTest, limits: readonly number[]): Promise<Page<object>[]> {
  const pages: Page<object>[] = []
  let cursor: string | undefined
  do {
    const limit = limits[pages.length % limits.length]
    const page = await readList(list, { limit: String(limit), cursor })
    pages.push(page)
    cursor = page.next ?? undefined
    if (pages.length > 5000) throw new Error('the walk does not end')
  } while (cursor !== undefined)
  return pages
}

export function idsOf(pages: readonly Page<object>[]): unknown[] {
  return pages.flatMap((page) => page.items.map(idOf))
}

export function idOf(row: object): unknown {
  const id: unknown = Reflect.get(row, 'id')
  return typeof id === 'string' && /^\d+$/.test(id) ? Number(id) : id
}

/** The cursor of a link, so that a walk can go backwards. */
export function linked(page: Page<object>, relation: 'prev' | 'next'): string | undefined {
  return page.links[relation]?.find(([name]) => name === 'cursor')?.[1]
}
