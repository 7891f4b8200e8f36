import type { KeyValue, Position } from './key-value.ts'
import type { PageRequest } from './page-request.ts'
import { reversed, type Sort, type SortKey } from './sort.ts'

/** What the database is to do: nothing of it comes from the caller except bound values and checked numbers. */
export interface PagePlan {
  readonly order: Sort
  /** Only rows strictly after this position in `order`; null for all. */
  readonly after: Position | null
  /** Only rows whose key is at most this value. */
  readonly bound: { readonly key: SortKey; readonly value: KeyValue } | null
  readonly skip: number
  /** One more than the page holds: the extra row tells whether more follow, and is dropped. */
  readonly take: number
}

export function planPage(request: PageRequest, asOf: string | null): PagePlan {
  const key = request.sort.find((candidate) => candidate.column === asOf)
  return {
    order: request.backward ? reversed(request.sort) : request.sort,
    after: request.position,
    bound: key === undefined || request.asOf === undefined ? null : { key, value: request.asOf },
    skip: request.offset,
    take: request.limit + 1,
  }
}
