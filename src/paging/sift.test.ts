import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type Event, eventPager, eventsUpTo, idsOf, newest } from '../../test/paging/event-list.ts'
import { Failure } from '../failure/failure.ts'
import type { Page } from './page.ts'
import { pageArray } from './page-array.ts'
import type { PagePlan } from './page-plan.ts'
import type { Query } from './query.ts'
import { type SiftOptions, sift } from './sift.ts'

const pager = eventPager()

test('a walk over sifted pages shows exactly the rows that pass, for any budget and any rows', async () => {
  const cases = fc.record({
    passes: fc.array(fc.boolean(), { maxLength: 40 }),
    limit: fc.integer({ min: 1, max: 5 }),
    scanAtMost: fc.integer({ min: 1, max: 12 }),
  })
  await fc.assert(
    fc.asyncProperty(cases, async ({ passes, limit, scanAtMost }) => {
      const list = sifted(eventsUpTo(passes.length), ({ id }) => passes[id - 1] === true, scanAtMost)
      const pages = await walk(list, { limit: String(limit) })
      const expected = passes.flatMap((passed, index) => (passed ? [index + 1] : [])).reverse()
      assert.deepEqual(pages.flatMap(idsOf), expected)
      for (const page of pages) assert.ok(page.items.length <= limit)
    }),
    { numRuns: 500 },
  )
})

test('where nineteen of twenty rows are rejected, each page is still full and none is empty', async () => {
  const list = sifted(eventsUpTo(400), ({ id }) => id % 20 === 0, 200)
  const pages = await walk(list, { limit: '4' })
  assert.deepEqual(
    pages.map((page) => page.items.length),
    [4, 4, 4, 4, 4],
  )
  assert.equal(pages.at(-1)?.next, null)
})

test('a page that its budget left empty leads on from the last row looked at', async () => {
  const list = sifted(eventsUpTo(20), ({ id }) => id === 1, 6)
  const page = await read(list, { limit: '2' })
  assert.deepEqual([page.items, page.more], [[], true])
  assert.equal(pager.parse({ cursor: page.next ?? '' }).position?.at(-1), 15)
  assert.deepEqual((await walk(list, { limit: '2' })).map(idsOf), [[], [], [], [1]])
})

test('no more rows are judged than the budget allows, and one more is read at most', async () => {
  for (const scanAtMost of [1, 2, 3, 7]) {
    const judged: number[] = []
    const reads: number[] = []
    const list: SiftOptions<Event> = {
      scanAtMost,
      keep: ({ id }) => judged.push(id) < 0,
      read: async (plan) => {
        const rows = pageArray(plan, eventsUpTo(30))
        reads.push(rows.length)
        return rows
      },
    }
    await read(list, { limit: '2' })
    assert.equal(judged.length, scanAtMost)
    assert.equal(
      reads.reduce((sum, count) => sum + count),
      scanAtMost + 1,
    )
  }
})

test('the cursor of a full page stands before the next row that passes, so nothing is judged twice', async () => {
  const list = sifted(eventsUpTo(10), ({ id }) => id >= 9 || id === 3, 100)
  const page = await read(list, { limit: '2' })
  assert.deepEqual(idsOf(page), [10, 9])
  assert.equal(pager.parse({ cursor: page.next ?? '' }).position?.at(-1), 4)
})

test('a full page with nothing that passes behind it is the last', async () => {
  const page = await read(
    sifted(eventsUpTo(10), ({ id }) => id >= 9, 100),
    { limit: '2' },
  )
  assert.deepEqual([idsOf(page), page.more, page.next], [[10, 9], false, null])
})

test('a permission that has to be asked for is awaited', async () => {
  const list = sifted(eventsUpTo(6), async ({ id }) => Promise.resolve(id % 2 === 0), 100)
  assert.deepEqual((await walk(list, { limit: '2' })).map(idsOf), [[6, 4], [2]])
})

test('the way back over sifted pages shows the same rows in the order of the list', async () => {
  const list = sifted(eventsUpTo(12), ({ id }) => id % 2 === 0, 100)
  const forth = await walk(list, { limit: '2' })
  const back: Page<Event>[] = []
  let link = forth.at(-1)?.links.prev
  while (link !== undefined) {
    const page = await read(list, Object.fromEntries(link))
    back.unshift(page)
    link = page.links.prev
  }
  assert.deepEqual(back.map(idsOf), forth.slice(0, -1).map(idsOf))
})

test('an empty list is one empty page', async () => {
  const page = await read(
    sifted([], () => true, 10),
    {},
  )
  assert.deepEqual([page.items, page.more, page.next], [[], false, null])
})

test('a budget that is not a whole number of 1 or more is refused, and does not end the list', async () => {
  for (const scanAtMost of [0, -1, 1.5, Number.NaN]) {
    const list = sifted(eventsUpTo(5), () => true, scanAtMost)
    await assert.rejects(read(list, { limit: '2' }), Failure, `a budget of ${scanAtMost}`)
  }
})

test('an offset list is not sifted, because its offsets count the rows that were rejected', async () => {
  const offsets = eventPager({ style: 'offset', total: 'none' })
  const list = sifted(eventsUpTo(10), ({ id }) => id % 2 === 0, 100)
  await assert.rejects(sift(offsets, offsets.parse({ limit: '2' }), list), Failure)
})

test('null in a key declared without nulls is loud, also in a row that is rejected', async () => {
  for (const at of [0, 1, 2]) {
    const list: SiftOptions<Event> = {
      scanAtMost: 100,
      keep: ({ id }) => id !== 2,
      read: async () =>
        eventsUpTo(3).map((event, index) => Object.assign(event, index === at && { created_at: null })),
    }
    await assert.rejects(read(list, { limit: '2' }), /null in a key declared without `nulls`/, `row ${at}`)
  }
})

test('a counted list is not sifted, because its total counts the rows that were rejected', async () => {
  const counted = eventPager({ total: 'exact', sorts: { newest } })
  const list = sifted(eventsUpTo(3), () => true, 100)
  await assert.rejects(sift(counted, counted.parse({}), list), { code: 'internal' })
})

function sifted(
  rows: readonly Event[],
  keep: SiftOptions<Event>['keep'],
  scanAtMost: number,
): SiftOptions<Event> {
  return { keep, scanAtMost, read: async (plan: PagePlan) => pageArray(plan, rows) }
}

function read(list: SiftOptions<Event>, query: Query): Promise<Page<Event>> {
  return sift(pager, pager.parse(query), list)
}

async function walk(list: SiftOptions<Event>, start: Query): Promise<Page<Event>[]> {
  const pages: Page<Event>[] = []
  let query: Query | undefined = start
  while (query !== undefined) {
    const page: Page<Event> = await read(list, query)
    pages.push(page)
    assert.ok(pages.length < 100, 'the walk does not end')
    query = page.links.next && Object.fromEntries(page.links.next)
  }
  return pages
}
