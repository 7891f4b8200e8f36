import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import {
  cursorOf,
  type Event,
  eventPager,
  eventsUpTo,
  eventTokens,
  idsOf,
  newest,
  readPage,
  refusal,
  walkLinks,
} from '../../test/paging/event-list.ts'
import { compilePage } from './compile-page.ts'
import { definePager, type Pager } from './pager.ts'
import { renderBody, renderHeaders } from './render.ts'

const list = eventPager()

test('a walk shows every row once, newest first, in as few pages as there can be', () => {
  for (let count = 0; count <= 9; count += 1)
    for (const limit of [1, 2, 3, 4, 9]) {
      const pages = walkLinks({ pager: list, rows: eventsUpTo(count) }, 'next', { limit: String(limit) })
      const expected = Array.from({ length: count }, (_, index) => count - index)
      assert.deepEqual(pages.flatMap(idsOf), expected)
      assert.equal(pages.length, Math.max(1, Math.ceil(count / limit)), `${count} rows by ${limit}`)
    }
})

test('a list that ends with a full page has no page after it', () => {
  const pages = walkLinks({ pager: list, rows: eventsUpTo(6) }, 'next', { limit: '3' })
  assert.deepEqual(
    pages.map((page) => [page.items.length, page.more, page.next === null]),
    [
      [3, true, false],
      [3, false, true],
    ],
  )
})

test('an empty list is one empty page, and needs no second question to the database', () => {
  for (const pager of [list, eventPager({ total: 'exact' }), eventPager({ style: 'offset' })]) {
    const request = pager.parse({})
    assert.equal(pager.count(request, 0), null)
    const page = pager.finish(request, [])
    assert.deepEqual([page.items, page.more, page.next], [[], false, null])
  }
})

test('one row more than the page is read, shown to nobody, and not where the cursor stands', () => {
  const request = list.parse({ limit: '2' })
  assert.equal(list.plan(request).take, 3)
  const page = readPage({ pager: list, rows: eventsUpTo(5) }, { limit: '2' })
  assert.deepEqual(idsOf(page), [5, 4])
  assert.deepEqual(list.parse({ cursor: page.next ?? '' }).position, ['2026-11-15 10:00:00.100001+00', 4])
})

test('the way back shows the same pages as the way forth, and ends at the first', () => {
  const rows = eventsUpTo(7)
  const forth = walkLinks({ pager: list, rows }, 'next', { limit: '3' })
  const end = forth.at(-1)?.links.prev
  assert.ok(end !== undefined)
  const back = walkLinks({ pager: list, rows }, 'prev', Object.fromEntries(end))
  assert.deepEqual(back.map(idsOf), [
    [4, 3, 2],
    [7, 6, 5],
  ])
  assert.equal(back.at(-1)?.links.prev, undefined)
  assert.deepEqual(
    back.map((page) => page.more),
    [true, true],
  )
})

test('turning round leads back to the page one came from', () => {
  const rows = eventsUpTo(9)
  const second = walkLinks({ pager: list, rows }, 'next', { limit: '3' })[1]
  assert.ok(second?.links.prev !== undefined)
  const first = readPage({ pager: list, rows }, Object.fromEntries(second.links.prev))
  assert.ok(first.links.next !== undefined)
  assert.deepEqual(
    idsOf(readPage({ pager: list, rows }, Object.fromEntries(first.links.next))),
    idsOf(second),
  )
})

test('only a page that was reached by a cursor leads back', () => {
  const first = readPage({ pager: list, rows: eventsUpTo(5) }, { limit: '2' })
  assert.deepEqual(Object.keys(first.links), ['first', 'next'])
  const second = readPage({ pager: list, rows: eventsUpTo(5) }, { limit: '2', cursor: first.next ?? '' })
  assert.deepEqual(Object.keys(second.links), ['first', 'prev', 'next'])
})

test('a list without links mints no way back, because nobody could see it', () => {
  const pager = eventPager({ placement: { link: false } })
  const page = readPage({ pager, rows: eventsUpTo(5) }, { limit: '2', cursor: cursorOf(pager) })
  assert.deepEqual([Object.keys(page.links), page.more], [['first', 'next'], true])
})

test('a cursor outlives its row, the row after it, and every row', () => {
  const cursor = cursorOf(list)
  const after = (rows: readonly Event[]): number[] =>
    idsOf(readPage({ pager: list, rows }, { cursor, limit: '2' }))
  assert.deepEqual(after(eventsUpTo(5)), [3, 2])
  assert.deepEqual(after(eventsUpTo(5).filter(({ id }) => id !== 4)), [3, 2])
  assert.deepEqual(after(eventsUpTo(5).filter(({ id }) => id !== 3)), [2, 1])
  const gone = readPage({ pager: list, rows: [] }, { cursor })
  assert.deepEqual([gone.items, gone.more, gone.next], [[], false, null])
  assert.deepEqual(gone.links.first, [])
})

test('a row that arrives on a passed page is not shown, and moves nothing', () => {
  const rows = [...eventsUpTo(5), { id: 99, created_at: '2026-11-15 11:00:00+00', kind: 'call' }]
  assert.deepEqual(idsOf(readPage({ pager: list, rows }, { cursor: cursorOf(list), limit: '9' })), [3, 2, 1])
})

test('a page whose way back has been deleted is empty and leads to the start', () => {
  const second = readPage({ pager: list, rows: eventsUpTo(5) }, { cursor: cursorOf(list), limit: '2' })
  assert.ok(second.links.prev !== undefined)
  const rows = eventsUpTo(3)
  const page = readPage({ pager: list, rows }, Object.fromEntries(second.links.prev))
  assert.deepEqual([page.items, page.links.prev, page.links.first], [[], undefined, [['limit', '2']]])
})

test('a bounded list shows nothing newer than its first page could, in both directions', () => {
  const pager = eventPager({ asOf: 'created_at' })
  const before = eventsUpTo(6)
  const context = { asOf: '2026-11-15 10:00:00.100001+00' }
  const later = [...eventsUpTo(12), { id: 99, created_at: '2026-11-15 11:00:00+00', kind: 'call' }]
  const first = readPage({ pager, rows: before, context }, { limit: '2' })
  const second = readPage({ pager, rows: later }, { limit: '2', cursor: first.next ?? '' })
  assert.deepEqual([first, second].map(idsOf), [
    [6, 5],
    [4, 3],
  ])
  const third = readPage({ pager, rows: later }, { limit: '2', cursor: second.next ?? '' })
  assert.deepEqual([idsOf(third), third.more], [[2, 1], false])
  const wider = new URLSearchParams([...(second.links.prev ?? [])].map(([name, value]) => [name, value]))
  wider.set('limit', '50')
  assert.deepEqual(idsOf(readPage({ pager, rows: later }, wider)), [6, 5])
})

test('a Date, a rounded number or a missing column stops the page at which a cursor would stand on it', () => {
  const request = list.parse({ limit: '1' })
  const next = { id: 1, created_at: '2026-11-15 10:00:00+00', kind: 'call' }
  const bad = [
    { ...next, created_at: new Date() },
    { ...next, id: 2 ** 53 },
    { id: 2, kind: 'call' },
  ]
  for (const row of bad)
    assert.equal(refusal(() => Reflect.apply(list.finish, 0, [request, [row, next]])).code, 'internal')
})

test('null in a key declared without nulls is loud wherever in the answer it stands', () => {
  const request = list.parse({ limit: '2' })
  for (const at of [0, 1, 2]) {
    const rows = eventsUpTo(3).map((event, index) => (index === at ? { ...event, created_at: null } : event))
    const failure = refusal(() => Reflect.apply(list.finish, 0, [request, rows]))
    assert.match(failure.message, /null in a key declared without `nulls`/, `row ${at}`)
  }
})

test('a row that a forgotten null would hide is not lost in silence', () => {
  using db = new DatabaseSync(':memory:')
  db.exec(
    "CREATE TABLE notes (id TEXT PRIMARY KEY, rank TEXT); INSERT INTO notes VALUES ('a','3'),('b','2'),('c',NULL)",
  )
  const pager = definePager<{ id: string; rank: string }>({
    id: 'notes',
    style: 'cursor',
    tokens: eventTokens(),
    sorts: {
      best: [
        { column: 'rank', type: 'text', direction: 'descending' },
        { column: 'id', type: 'text', direction: 'descending', unique: true },
      ],
    },
  })
  assert.equal(refusal(() => walkNotes(db, pager)).code, 'internal')
})

test('a text too long for a cursor stops the page that would need it', () => {
  const pager = eventPager({
    sorts: { kind: [{ column: 'kind', type: 'text', direction: 'ascending' }, ...newest.slice(-1)] },
  })
  const rows = eventsUpTo(2).map((event) => ({ ...event, kind: 'x'.repeat(1600) }))
  const failure = refusal(() => readPage({ pager, rows }, { limit: '1' }))
  assert.deepEqual([failure.code, failure.message.includes('xxx')], ['internal', false])
  assert.equal(readPage({ pager, rows }, { limit: '2' }).items.length, 2)
})

test('a list that shows a total is not finished without one', () => {
  const pager = eventPager({ total: 'exact' })
  const request = pager.parse({ limit: '2' })
  assert.deepEqual(pager.count(request, 3), { kind: 'exact' })
  assert.match(refusal(() => pager.finish(request, eventsUpTo(3))).message, /has to be counted/)
  assert.deepEqual(pager.finish(request, eventsUpTo(3), { value: 9, kind: 'exact' }).total, {
    value: 9,
    kind: 'exact',
  })
  assert.deepEqual(pager.finish(request, eventsUpTo(2)).total, { value: 2, kind: 'exact' })
})

test('an estimate is never below what the page itself has seen', () => {
  const pager = eventPager({ style: 'offset', total: 'estimate' })
  const request = pager.parse({ limit: '2', offset: '10' })
  const page = pager.finish(request, eventsUpTo(3), { value: 4, kind: 'estimate' })
  assert.ok((page.total?.value ?? 0) >= 13, `13 rows were seen, but the total says ${page.total?.value}`)
})

test('a page of a hundred rows costs one opened and at most two minted tokens, and is right', () => {
  const calls: string[] = []
  const codec = eventTokens()
  const pager = eventPager({
    tokens: {
      mint: (content, audience) => {
        calls.push('mint')
        return codec.mint(content, audience)
      },
      open: (token, audience) => {
        calls.push('open')
        return codec.open(token, audience)
      },
    },
  })
  const rows = eventsUpTo(300)
  const first = readPage({ pager, rows }, { limit: '100' })
  assert.deepEqual(calls.splice(0), ['mint'])
  const second = readPage({ pager, rows }, { limit: '100', cursor: first.next ?? '' })
  assert.deepEqual(calls.splice(0), ['open', 'mint', 'mint'])
  assert.deepEqual([idsOf(second)[0], idsOf(second)[99], second.items.length], [200, 101, 100])
  assert.deepEqual(renderBody(second), { items: second.items, next_cursor: second.next, has_more: true })
  assert.ok(renderHeaders(second, '/events').Link?.includes(`cursor=${second.next}>; rel="next"`))
  assert.deepEqual(calls, [])
})

function walkNotes(db: DatabaseSync, pager: Pager<{ id: string; rank: string }>): string[] {
  const seen: string[] = []
  let cursor: string | undefined
  do {
    const request = pager.parse({ cursor, limit: '2' })
    const { sql, params } = compilePage(
      pager.plan(request),
      { sql: 'SELECT * FROM notes', params: [] },
      'sqlite',
    )
    const rows = db.prepare(sql).all(...params.map(String))
    const page = Reflect.apply(pager.finish<{ id: string; rank: string }>, 0, [request, rows])
    seen.push(...page.items.map(({ id }: { id: string }) => id))
    cursor = page.next ?? undefined
  } while (cursor !== undefined)
  return seen
}
