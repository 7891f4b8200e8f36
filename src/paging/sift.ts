import { Failure } from '../failure/failure.ts'
import { positionOf, refuseNulls } from './key-value.ts'
import type { Page } from './page.ts'
import type { PagePlan } from './page-plan.ts'
import type { PageRequest } from './page-request.ts'
import type { Pager } from './pager.ts'

export interface SiftOptions<Row> {
  /** Runs the plan and answers its rows. */
  readonly read: (plan: PagePlan) => Promise<readonly Row[]>
  /** A check that only code can make, such as a permission. */
  readonly keep: (row: Row) => boolean | Promise<boolean>
  /** How many rows may be looked at for one page. */
  readonly scanAtMost: number
}

/**
 * A page of the rows that pass `keep`, refilled until it is full. The position moves by the last row looked at, so
 * a page that the scan limit left empty still leads on.
 */
export async function sift<Key extends object, Row extends Key>(
  pager: Pager<Key>,
  request: PageRequest,
  { read, keep, scanAtMost }: SiftOptions<Row>,
): Promise<Page<Row>> {
  if (!Number.isSafeInteger(scanAtMost) || scanAtMost < 1)
    throw new Failure('internal', '`scanAtMost` must be a whole number of 1 or more')
  const kept: Row[] = []
  let first: Row | undefined
  let last: Row | undefined
  let plan = pager.plan(request)
  for (let scanned = 0; ; ) {
    const take = Math.min(plan.take, scanAtMost - scanned + 1)
    const rows = await read({ ...plan, take })
    refuseNulls(rows, plan.order)
    for (const row of rows) {
      const passes = scanned < scanAtMost && (await keep(row))
      if (scanned === scanAtMost || (passes && kept.length === request.limit))
        return pager.finishSifted(request, { items: kept, more: true, first, last })
      if (passes) kept.push(row)
      first ??= row
      last = row
      scanned += 1
    }
    if (rows.length < take || last === undefined)
      return pager.finishSifted(request, { items: kept, more: false, first, last })
    plan = { ...plan, after: positionOf(last, plan.order), skip: 0 }
  }
}
