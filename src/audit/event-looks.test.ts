import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { fillEvents } from '../../test/records/many-events.ts'
import { type Engine, forEachEngine } from '../../test/store/engines.ts'
import type { Page } from '../paging/page.ts'
import { definePager } from '../paging/pager.ts'
import { createTokenCodec } from '../paging/token-codec.ts'
import { migrations } from '../store/migrations.ts'
import type { Store, StoreSchema } from '../store/store.ts'
import type { AuditEvent } from '../store/tables-audit.ts'
import { type EventFilters, splitFilters } from './event-filters.ts'
import { createEventList, type EventPlace, eventSorts } from './event-list.ts'
import { lookedAtMost, readEvents } from './event-reading.ts'
import type { EventsWanted } from './event-statement.ts'

const count = 50_000
const issuer = 'https://issuer.example'

/** Of what the index leads to there are thousands, of what is asked for a few or none. */
const cases: readonly { readonly filters: EventFilters; readonly expected: readonly number[] }[] = [
  { filters: { principal: 'busy', issuer, decision: 'deny' }, expected: [99, 24_999, 49_998] },
  { filters: { principal: 'busy', decision: 'deny' }, expected: [99, 24_999, 30_000, 49_998] },
  { filters: { decision: 'allow', surface: 'api' }, expected: [10_050, 10_051, 50_000] },
  { filters: { principal: 'busy', issuer, action: 'none' }, expected: [] },
  { filters: { issuer: 'nobody' }, expected: [] },
]

async function filled(engine: Engine): Promise<Store & AsyncDisposable> {
  const store = await engine.open<StoreSchema>(migrations)
  await fillEvents(store, count)
  const change = store.db.updateTable('audit_events')
  await change.set({ decision: 'deny' }).where('seq', 'in', [99, 24_999, 30_000, 49_998]).execute()
  await change.set({ surface: 'api' }).where('seq', 'in', [10_050, 10_051, 50_000]).execute()
  return store
}

forEachEngine((engine) => {
  const opening = filled(engine)
  after(async () => (await opening)[Symbol.asyncDispose]())

  test('however rare what is asked for, a page looks at a bounded number of events, and a walk finds all', async (t) => {
    const store = await opening
    for (const { filters, expected } of cases)
      for (const direction of ['ascending', 'descending'] as const)
        await t.test(`${direction}: ${JSON.stringify(filters)}`, async () => {
          const found: number[] = []
          for (let after: number | null = null; ; ) {
            const read = await readEvents(store, { filters, direction, after, limit: 2 })
            found.push(...read.events.map(({ seq }) => seq))
            const passed = await between(store, { filters, direction, after }, read.lookedTo)
            assert.ok(passed <= lookedAtMost, `${passed} events were looked at`)
            if (read.lookedTo === null) break
            after = read.lookedTo
          }
          assert.deepEqual(found, direction === 'ascending' ? expected : expected.toReversed())
        })
  })

  test('pages that are short or empty lead on and back to the same events', async (t) => {
    const store = await opening
    for (const { filters, expected } of cases)
      for (const sort of ['oldest', 'newest'] as const)
        for (const limit of [1, 20])
          await t.test(`${sort}, ${limit} a page: ${JSON.stringify(filters)}`, async () => {
            const pages = await walk(store, { sort, filters, limit })
            const ordered = sort === 'oldest' ? expected : expected.toReversed()
            assert.deepEqual(pages.onward, ordered)
            assert.deepEqual(pages.back, ordered)
          })
  })
})

/** How many events the index leads to from the one place to the other. */
async function between(
  store: Store,
  { filters, direction, after }: Pick<EventsWanted, 'filters' | 'direction' | 'after'>,
  lookedTo: number | null,
): Promise<number> {
  const [low, high] =
    direction === 'ascending'
      ? [after ?? 0, lookedTo ?? count]
      : [(lookedTo ?? 1) - 1, (after ?? count + 1) - 1]
  let query = store.db
    .selectFrom('audit_events')
    .select(({ fn }) => fn.countAll<number>().as('events'))
    .where('seq', '>', low)
    .where('seq', '<=', high)
  for (const [column, value] of splitFilters(filters).leading) query = query.where(column, '=', value)
  return Number((await query.executeTakeFirstOrThrow()).events)
}

const pager = definePager<EventPlace>({
  id: 'events',
  style: 'cursor',
  sorts: eventSorts,
  tokens: createTokenCodec({ secrets: ['the secret of events looked at, long'] }),
})

interface Walk {
  readonly sort: keyof typeof eventSorts
  readonly filters: EventFilters
  readonly limit: number
}

async function walk(
  store: Store,
  { sort, filters, limit }: Walk,
): Promise<{ readonly onward: readonly number[]; readonly back: readonly number[] }> {
  const { list } = createEventList(store)
  const read = (given: { readonly cursor?: string }): Promise<Page<AuditEvent>> =>
    list({ pager, filters, request: pager.parse({ limit: `${limit}`, ...given }, { sort, filters }) })
  const onward: number[] = []
  let page = await read({})
  for (; ; page = await read({ cursor: page.next })) {
    onward.push(...page.items.map(({ seq }) => seq))
    assert.equal(cursorIn(page, 'next') ?? null, page.next)
    assert.equal(page.more, page.next !== null)
    if (page.next === null) break
  }
  const back: number[] = []
  for (;;) {
    back.unshift(...page.items.map(({ seq }) => seq))
    const cursor = cursorIn(page, 'prev')
    if (cursor === undefined) return { onward, back }
    page = await read({ cursor })
  }
}

function cursorIn({ links }: Page<AuditEvent>, relation: 'next' | 'prev'): string | undefined {
  return links[relation]?.find(([name]) => name === 'cursor')?.[1]
}
