import type { KeyValue } from './key-value.ts'
import type { PagePlan } from './page-plan.ts'
import type { SortKey } from './sort.ts'

/** One test of a key against a value; a range is all of its tests together. */
export interface KeyTest {
  readonly key: SortKey
  readonly is: 'equal' | 'after' | 'null' | 'set'
  readonly value: KeyValue
}

/** A part of the list that an index can walk from one end, and the keys that are not yet fixed in it. */
export interface SeekRange {
  readonly tests: readonly KeyTest[]
  readonly order: readonly SortKey[]
}

/**
 * Everything after the position as disjoint ranges: the keys before one are equal, and that one lies after. A database
 * can start each range in the middle of an index, which it cannot do for the same condition written with OR.
 */
export function seekRanges(plan: PagePlan): readonly SeekRange[] {
  const { order, after } = plan
  if (after === null) return firstRanges(order)
  return order.flatMap((_, index) => {
    const fixed = order.slice(0, index).map((key, at) => equalTo(key, after[at] ?? null))
    return rangesAfter(order.slice(index), after[index] ?? null).map((range) => ({
      ...range,
      tests: [...fixed, ...range.tests],
    }))
  })
}

/** Nulls are a range of their own, so that an index need not have been made for this placement of nulls. */
function firstRanges(order: readonly SortKey[]): readonly SeekRange[] {
  const [key, ...rest] = order
  if (key?.nulls === undefined) return [{ tests: [], order }]
  return [
    { tests: [{ key, is: 'set', value: null }], order: withoutNulls(key, rest) },
    { tests: [{ key, is: 'null', value: null }], order: rest },
  ]
}

function rangesAfter(order: readonly SortKey[], value: KeyValue): readonly SeekRange[] {
  const [key, ...rest] = order
  if (key === undefined) return []
  const sorted = withoutNulls(key, rest)
  if (value === null)
    return key.nulls === 'first' ? [{ tests: [{ key, is: 'set', value }], order: sorted }] : []
  const beyond: SeekRange = { tests: [{ key, is: 'after', value }], order: sorted }
  return key.nulls === 'last'
    ? [beyond, { tests: [{ key, is: 'null', value: null }], order: rest }]
    : [beyond]
}

function equalTo(key: SortKey, value: KeyValue): KeyTest {
  return value === null ? { key, is: 'null', value } : { key, is: 'equal', value }
}

/** Inside such a range the key is never null, so any index on it gives the order. */
function withoutNulls({ nulls: _nulls, ...key }: SortKey, rest: readonly SortKey[]): readonly SortKey[] {
  return [key, ...rest]
}
