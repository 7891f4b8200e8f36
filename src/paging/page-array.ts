import { Failure } from '../failure/failure.ts'
import { type KeyValue, type Position, positionOf } from './key-value.ts'
import type { PagePlan } from './page-plan.ts'
import type { KeyType, Sort, SortKey } from './sort.ts'

/**
 * Does in memory what the statement of `compilePage` does in a database: for small lists, and as its referee. Text is in the
 * order of its bytes, and so are times: they must have one form and one offset.
 */
export function pageArray<Row extends object>(plan: PagePlan, rows: readonly Row[]): Row[] {
  const { after, bound } = plan
  return rows
    .map((row) => ({ row, position: positionOf(row, plan.order) }))
    .filter(({ row }) => bound === null || isAtMost(row, bound))
    .filter(({ position }) => after === null || comparePositions(plan.order, position, after) > 0)
    .sort((left, right) => comparePositions(plan.order, left.position, right.position))
    .slice(plan.skip, plan.skip + plan.take)
    .map(({ row }) => row)
}

function isAtMost(row: object, { key, value }: NonNullable<PagePlan['bound']>): boolean {
  const [own] = positionOf(row, [key])
  return own !== null && own !== undefined && value !== null && compareValues(key.type, own, value) <= 0
}

function comparePositions(sort: Sort, left: Position, right: Position): number {
  for (const [index, key] of sort.entries()) {
    const difference = compareKey(key, left[index] ?? null, right[index] ?? null)
    if (difference !== 0) return difference
  }
  return 0
}

function compareKey(key: SortKey, left: KeyValue, right: KeyValue): number {
  if (left === null || right === null) {
    if (left === right) return 0
    return (left === null) === (key.nulls === 'first') ? -1 : 1
  }
  const difference = compareValues(key.type, left, right)
  return key.direction === 'ascending' ? difference : -difference
}

function compareValues(type: KeyType, left: KeyValue, right: KeyValue): number {
  if (type === 'decimal') throw new Failure('internal', 'decimals are compared by a database only')
  if (left instanceof Uint8Array && right instanceof Uint8Array) return Buffer.compare(left, right)
  if (typeof left === 'string' && typeof right === 'string')
    return Buffer.compare(Buffer.from(left), Buffer.from(right))
  if (left === null || right === null || left === right) return 0
  return left < right ? -1 : 1
}
