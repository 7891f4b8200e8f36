import type { Page } from '../paging/page.ts'
import type { PageRequest } from '../paging/page-request.ts'
import type { Pager } from '../paging/pager.ts'
import type { Sort } from '../paging/sort.ts'
import type { Store } from '../store/store.ts'
import type { UsageQuestion, UsageRow } from './usage-question.ts'
import { readUsage } from './usage-windows.ts'

export type UsagePlace = Pick<UsageRow, 'bucket' | 'surface' | 'issuer' | 'principal' | 'target'>

export interface UsageList {
  readonly list: (list: {
    readonly pager: Pager<UsagePlace>
    readonly request: PageRequest
    readonly question: UsageQuestion
  }) => Promise<Page<UsageRow>>
}

export const usageSort: Sort<keyof UsagePlace> = [
  { column: 'bucket', type: 'integer', direction: 'descending' },
  { column: 'surface', type: 'text', direction: 'ascending' },
  { column: 'issuer', type: 'text', direction: 'ascending' },
  { column: 'principal', type: 'text', direction: 'ascending' },
  { column: 'target', type: 'text', direction: 'ascending', unique: true },
]

export function createUsageList(store: Store): UsageList {
  return {
    list: async ({ pager, request, question }) =>
      pager.finish(request, await readUsage(store, question, pager.plan(request))),
  }
}
