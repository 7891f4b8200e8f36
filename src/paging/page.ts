import type { PagerLayout } from './pager-options.ts'
import type { Parameter } from './query.ts'

/** A count, labelled as what it is. */
export interface Total {
  readonly value: number
  readonly kind: 'exact' | 'at_least' | 'estimate'
}

export type Relation = 'first' | 'prev' | 'next' | 'last'

/** One page, decided: the only thing that body and headers are rendered from, so they cannot disagree. */
export interface Page<Row> {
  readonly items: readonly Row[]
  /** More records follow this page. */
  readonly more: boolean
  /** The token of the next page; null at the end, and always null in offset style. */
  readonly next: string | null
  readonly offset: number
  readonly limit: number
  readonly total: Total | null
  /** The query of each page that can be reached from here. */
  readonly links: Readonly<Partial<Record<Relation, readonly Parameter[]>>>
  readonly layout: PagerLayout
}
