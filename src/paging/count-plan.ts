import type { Total } from './page.ts'
import { type PagePlan, planPage } from './page-plan.ts'
import type { PageRequest } from './page-request.ts'
import type { PagerSettings } from './pager-options.ts'

/** A count that the page itself could not prove. */
export type CountPlan = (
  | { readonly kind: 'exact' | 'estimate' }
  | { readonly kind: 'bounded'; readonly atMost: number }
) &
  Partial<Pick<PagePlan, 'bound'>>

export function planCount(
  settings: Pick<PagerSettings, 'total' | 'asOf'>,
  request: PageRequest,
  fetched: number,
): CountPlan | null {
  const { total: rule } = settings
  if (rule === 'none' || provenTotal(request, fetched) !== null) return null
  const { bound } = planPage(request, settings.asOf)
  const bounded = bound === null ? {} : { bound }
  return typeof rule === 'string'
    ? { kind: rule, ...bounded }
    : { kind: 'bounded', atMost: rule.atMost, ...bounded }
}

/** A page that starts at the beginning, or is not empty, and has nothing behind it, has seen the end of the list. */
export function provenTotal(request: PageRequest, fetched: number): Total | null {
  const counted = request.position === null && (request.offset === 0 || fetched > 0)
  return counted && fetched <= request.limit ? { value: request.offset + fetched, kind: 'exact' } : null
}
