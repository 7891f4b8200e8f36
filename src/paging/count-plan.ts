import type { Total } from './page.ts'
import type { PageRequest } from './page-request.ts'
import type { TotalRule } from './pager-options.ts'

/** A count that the page itself could not prove. */
export type CountPlan =
  | { readonly kind: 'exact' | 'estimate' }
  | { readonly kind: 'bounded'; readonly atMost: number }

export function planCount(rule: TotalRule, request: PageRequest, fetched: number): CountPlan | null {
  if (rule === 'none' || provenTotal(request, fetched) !== null) return null
  return typeof rule === 'string' ? { kind: rule } : { kind: 'bounded', atMost: rule.atMost }
}

/** A page that starts at the beginning, or is not empty, and has nothing behind it, has seen the end of the list. */
export function provenTotal(request: PageRequest, fetched: number): Total | null {
  const counted = request.position === null && (request.offset === 0 || fetched > 0)
  return counted && fetched <= request.limit ? { value: request.offset + fetched, kind: 'exact' } : null
}
