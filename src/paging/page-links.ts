import type { Page } from './page.ts'
import type { PageRequest } from './page-request.ts'
import type { PagerSettings } from './pager-options.ts'
import type { Parameter } from './query.ts'

/**
 * The offset pages around this one. A last page beyond the ceiling is not linked; a next one is, because a walker
 * should meet the refusal and not take the ceiling for the end of the list.
 */
export function offsetLinks<Row>(
  settings: PagerSettings,
  request: PageRequest,
  page: Pick<Page<Row>, 'more' | 'total'>,
): Page<Row>['links'] {
  const { limit, offset } = request
  const at = (start: number): readonly Parameter[] => [
    ...request.kept,
    [settings.names.offset, String(start)],
  ]
  const last = page.total?.kind === 'exact' ? lastOffset(page.total.value, limit) : null
  const previous = Math.max(0, Math.min(offset - limit, last ?? offset))
  return {
    first: at(0),
    ...(offset > 0 ? { prev: at(previous) } : {}),
    ...(page.more ? { next: at(offset + limit) } : {}),
    ...(last !== null && last <= settings.maximumOffset ? { last: at(last) } : {}),
  }
}

export function tokenLinks(
  settings: PagerSettings,
  request: PageRequest,
  tokens: { readonly next: string | null; readonly prev: string | null },
): Page<unknown>['links'] {
  const at = (token: string): readonly Parameter[] => [...request.kept, [settings.names.token, token]]
  return {
    first: request.kept,
    ...(tokens.prev === null ? {} : { prev: at(tokens.prev) }),
    ...(tokens.next === null ? {} : { next: at(tokens.next) }),
  }
}

function lastOffset(total: number, limit: number): number {
  return Math.floor(Math.max(0, total - 1) / limit) * limit
}
