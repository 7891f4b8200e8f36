import assert from 'node:assert/strict'
import { test } from 'node:test'
import { alice, bookOn, lineOf, start } from '../../test/records/audit-lines.ts'
import { type Engine, forEachEngine } from '../../test/store/engines.ts'
import { definePager } from '../paging/pager.ts'
import { createTokenCodec } from '../paging/token-codec.ts'
import { migrations } from '../store/migrations.ts'
import type { Store, StoreSchema } from '../store/store.ts'
import type { AuditEvent } from '../store/tables-audit.ts'
import type { EventFilters } from './event-filters.ts'
import { createEventList, type EventPlace, eventSorts } from './event-list.ts'

const pager = definePager<EventPlace>({
  id: 'events',
  style: 'cursor',
  sorts: eventSorts,
  tokens: createTokenCodec({ secrets: ['the secret of the listed events, long'] }),
})

const other = 'https://other.example'

/** Twelve batches of ten events at times 0, 10, 20 …; what each is of changes with its number. */
async function filled(engine: Engine): Promise<Store & AsyncDisposable> {
  const store = await engine.open<StoreSchema>(migrations)
  const { hand, write } = bookOn(store)
  for (let batch = 0; batch < 12; batch += 1) {
    hand.time = start + batch * 10
    await write(Array.from({ length: 10 }, (_, place) => madeUp(batch * 10 + place + 1)))
  }
  return store
}

function madeUp(seq: number): string {
  const by =
    seq % 7 === 0
      ? null
      : { ...alice, principal: `p${seq % 3}`, issuer: seq % 5 === 0 ? other : alice.issuer }
  return lineOf({
    by,
    target: seq % 4 === 0 ? null : `tool-${seq % 4}`,
    decision: seq % 6 === 0 ? 'deny' : 'allow',
    surface: seq % 9 === 0 ? 'models' : 'tools',
  })
}

/** Walks to the end and back; both must show the same. */
async function walk(
  store: Store,
  { sort, filters, limit }: { sort: keyof typeof eventSorts; filters: EventFilters; limit: number },
): Promise<readonly number[]> {
  const list = createEventList(store)
  const pages: (readonly number[])[] = []
  const backwards: (readonly number[])[] = []
  const read = async (cursor: string | undefined): Promise<Awaited<ReturnType<typeof list.list>>> =>
    list.list({
      pager,
      filters,
      request: pager.parse(cursor === undefined ? { limit: `${limit}` } : { limit: `${limit}`, cursor }, {
        sort,
        filters,
      }),
    })
  let page = await read(undefined)
  for (;;) {
    pages.push(page.items.map(({ seq }) => seq))
    if (page.next === null) break
    page = await read(page.next)
  }
  for (;;) {
    backwards.unshift(page.items.map(({ seq }) => seq))
    const previous = page.links.prev?.find(([name]) => name === 'cursor')?.[1]
    if (previous === undefined) break
    page = await read(previous)
  }
  const numbers = pages.flat()
  assert.deepEqual(backwards.flat(), numbers)
  return numbers
}

const cases: readonly { readonly filters: EventFilters; readonly keeps: (event: AuditEvent) => boolean }[] = [
  { filters: {}, keeps: () => true },
  { filters: { principal: 'p1' }, keeps: ({ principal }) => principal === 'p1' },
  { filters: { principal: '' }, keeps: ({ principal }) => principal === '' },
  {
    filters: { principal: 'p1', issuer: other },
    keeps: ({ principal, issuer }) => principal === 'p1' && issuer === other,
  },
  { filters: { issuer: other }, keeps: ({ issuer }) => issuer === other },
  { filters: { action: 'tool-2' }, keeps: ({ action }) => action === 'tool-2' },
  { filters: { action: 'tools/call' }, keeps: ({ action }) => action === 'tools/call' },
  { filters: { decision: 'deny' }, keeps: ({ decision }) => decision === 'deny' },
  { filters: { surface: 'models' }, keeps: ({ surface }) => surface === 'models' },
  {
    filters: { principal: 'p2', action: 'tool-1', decision: 'allow', surface: 'tools' },
    keeps: ({ principal, action, decision, surface }) =>
      principal === 'p2' && action === 'tool-1' && decision === 'allow' && surface === 'tools',
  },
  { filters: { from: start + 35 }, keeps: ({ created_at }) => created_at >= start + 35 },
  { filters: { to: start + 40 }, keeps: ({ created_at }) => created_at <= start + 40 },
  {
    filters: { from: start + 20, to: start + 70, decision: 'deny' },
    keeps: ({ created_at, decision }) =>
      created_at >= start + 20 && created_at <= start + 70 && decision === 'deny',
  },
  {
    filters: { from: start + 20, to: start + 70, principal: 'p1' },
    keeps: ({ created_at, principal }) =>
      created_at >= start + 20 && created_at <= start + 70 && principal === 'p1',
  },
  { filters: { principal: 'nobody' }, keeps: () => false },
  { filters: { action: 'a\u0000b' }, keeps: () => false },
  { filters: { from: start + 111 }, keeps: () => false },
  { filters: { to: start - 1 }, keeps: () => false },
  { filters: { from: start + 70, to: start + 20 }, keeps: () => false },
]

forEachEngine((engine) => {
  test('a walk shows every event that fits exactly once, in either order, and the way back as well', async (t) => {
    await using store = await filled(engine)
    const all = await store.db.selectFrom('audit_events').selectAll().orderBy('seq').execute()
    for (const { filters, keeps } of cases)
      await t.test(JSON.stringify(filters), async () => {
        const expected = all.filter(keeps).map(({ seq }) => seq)
        for (const limit of [1, 7, 100]) {
          assert.deepEqual(await walk(store, { sort: 'oldest', filters, limit }), expected)
          assert.deepEqual(await walk(store, { sort: 'newest', filters, limit }), expected.toReversed())
        }
      })
  })

  test('an event in a list is all that is stored of it', async () => {
    await using store = await filled(engine)
    const page = await createEventList(store).list({ pager, request: pager.parse({ limit: '1' }) })
    const stored = await store.db.selectFrom('audit_events').selectAll().where('seq', '=', 120).execute()
    assert.deepEqual(page.items, stored)
  })

  test('what follows an event is told from any number on, oldest first, as much as is wanted', async () => {
    await using store = await filled(engine)
    const { after, head } = createEventList(store)
    const numbers = async (seq: number, filters: EventFilters, limit = 100): Promise<readonly number[]> =>
      (await after(seq, { filters, limit })).events.map((event) => event.seq)
    assert.deepEqual(await numbers(0, {}, 3), [1, 2, 3])
    assert.deepEqual(await numbers(117, {}), [118, 119, 120])
    assert.deepEqual(await numbers(120, {}), [])
    assert.deepEqual(await numbers(100, { decision: 'deny' }), [102, 108, 114, 120])
    assert.deepEqual(await numbers(0, { from: start + 105, decision: 'deny' }), [114, 120])
    assert.deepEqual(await numbers(100, { principal: 'p1' }), [100, 103, 106, 109, 115, 118].slice(1))
    assert.equal(await head(), 120)
  })

  test('who follows a principal of two issuers misses nothing while others write', async () => {
    await using store = await engine.open<StoreSchema>(migrations)
    const { write } = bookOn(store)
    const line = lineOf()
    const namesake = lineOf({ by: { ...alice, issuer: other } })
    await write([line, namesake])
    const isWriting = { now: true }
    const writing = (async (): Promise<void> => {
      for (let turn = 0; turn < 150; turn += 1) await write([turn % 2 === 0 ? line : namesake])
      isWriting.now = false
    })()
    const { after } = createEventList(store)
    const seen: number[] = []
    for (let wasWriting = true; wasWriting; ) {
      wasWriting = isWriting.now
      const { events } = await after(seen.at(-1) ?? 0, { filters: { principal: 'alice' }, limit: 50 })
      seen.push(...events.map(({ seq }) => seq))
      if (events.length > 0) wasWriting = true
    }
    await writing
    assert.deepEqual(
      seen,
      Array.from({ length: 152 }, (_, place) => place + 1),
    )
  })

  test('an overlong name is found by the same name', async () => {
    await using store = await engine.open<StoreSchema>(migrations)
    const { write } = bookOn(store)
    const principal = 'é\u0000'.repeat(400)
    await write([lineOf(), lineOf({ by: { ...alice, principal } })])
    assert.equal(
      (await createEventList(store).after(0, { filters: { principal }, limit: 9 })).events.length,
      1,
    )
  })
})
