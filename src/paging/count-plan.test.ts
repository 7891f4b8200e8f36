import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { eventPager, eventsUpTo } from '../../test/paging/event-list.ts'
import { provenTotal } from './count-plan.ts'
import { pageArray } from './page-array.ts'
import type { TotalRule } from './pager-options.ts'

const rules: readonly TotalRule[] = ['exact', 'estimate', { atMost: 10 }]
const pagers = rules.map((total) => eventPager({ style: 'offset', maximumOffset: 100, total }))
const [exact] = pagers
assert.ok(exact !== undefined)

test('a total that the page proves is the count of the list, and is claimed wherever it can be', () => {
  fc.assert(
    fc.property(fc.nat(30), fc.integer({ min: 1, max: 10 }), fc.nat(40), (count, limit, offset) => {
      const request = exact.parse({ limit: String(limit), offset: String(offset) })
      const fetched = pageArray(exact.plan(request), eventsUpTo(count)).length
      const proven = provenTotal(request, fetched)
      if (proven !== null) assert.deepEqual(proven, { value: count, kind: 'exact' })
      const showsEnd = offset + limit >= count && (offset < count || offset === 0)
      assert.equal(proven !== null, showsEnd, `${count} rows, ${limit} from ${offset}`)
      for (const pager of pagers) assert.equal(pager.count(request, fetched) === null, showsEnd)
    }),
  )
})

test('a page behind a cursor proves nothing about what lies before it', () => {
  const cursors = eventPager({ total: 'exact' })
  const first = cursors.parse({ limit: '2' })
  const { next } = cursors.finish(first, eventsUpTo(3), { value: 3, kind: 'exact' })
  const second = cursors.parse({ limit: '2', cursor: next ?? '' })
  assert.equal(provenTotal(second, 1), null)
  assert.deepEqual(cursors.count(second, 1), { kind: 'exact' })
})

test('the count that is left is the one the list was defined with, and none where it shows no total', () => {
  const request = exact.parse({ limit: '5' })
  assert.deepEqual(
    pagers.map((pager) => pager.count(request, 6)),
    [{ kind: 'exact' }, { kind: 'estimate' }, { kind: 'bounded', atMost: 10 }],
  )
  assert.equal(eventPager().count(request, 6), null)
})

test('a list says beforehand whether its pages may have to be counted', () => {
  assert.deepEqual(
    [...pagers, eventPager()].map((pager) => pager.counts),
    [true, true, true, false],
  )
})
