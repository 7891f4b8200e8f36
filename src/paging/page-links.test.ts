import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  type Event,
  eventPager,
  eventsUpTo,
  idsOf,
  readPage,
  refusal,
  walkLinks,
} from '../../test/paging/event-list.ts'
import type { Page } from './page.ts'
import type { Query } from './query.ts'

const pager = eventPager({ style: 'offset', maximumOffset: 20 })

test('offset pages link their neighbours and both ends', () => {
  assert.deepEqual(offsetsAt(25, { offset: '10', limit: '5' }), {
    first: '0',
    prev: '5',
    next: '15',
    last: '20',
  })
})

test('the first page has nothing before it, the last nothing after it', () => {
  assert.deepEqual(offsetsAt(12, { limit: '5' }), { first: '0', next: '5', last: '10' })
  assert.deepEqual(offsetsAt(12, { limit: '5', offset: '10' }), { first: '0', prev: '5', last: '10' })
})

test('the last page of a list that divides evenly is full, and that of an empty list is the first', () => {
  assert.deepEqual(offsetsAt(10, { limit: '5' }), { first: '0', next: '5', last: '5' })
  assert.deepEqual(offsetsAt(0, { limit: '5' }), { first: '0', last: '0' })
  assert.deepEqual(offsetsAt(5, { limit: '5' }), { first: '0', last: '0' })
})

test('a page less than one limit from the start leads back to the start', () => {
  assert.deepEqual(offsetsAt(12, { limit: '5', offset: '3' }), {
    first: '0',
    prev: '0',
    next: '8',
    last: '10',
  })
})

test('a page beyond the end is empty, says the right total, and leads back to the last one', () => {
  const page = readPage({ pager, rows: eventsUpTo(7) }, { limit: '3', offset: '20' })
  assert.deepEqual(
    [page.items, page.more, page.offset, page.total],
    [[], false, 20, { value: 7, kind: 'exact' }],
  )
  assert.deepEqual(offsetsOf(page), { first: '0', prev: '6', last: '6' })
  const empty = readPage({ pager, rows: [] }, { limit: '3', offset: '20' })
  assert.deepEqual(offsetsOf(empty), { first: '0', prev: '0', last: '0' })
})

test('walking by the next link shows every row once', () => {
  const pages = walkLinks({ pager, rows: eventsUpTo(17) }, 'next', { limit: '4' })
  assert.deepEqual(
    pages.flatMap(idsOf),
    Array.from({ length: 17 }, (_, index) => 17 - index),
  )
})

test('a last page beyond the ceiling is not linked, because it would be refused', () => {
  assert.deepEqual(offsetsAt(26, { limit: '5', offset: '5' }), { first: '0', prev: '0', next: '10' })
})

test('a walker that reaches the ceiling meets the refusal, and not a false end of the list', () => {
  const rows = eventsUpTo(26)
  const page = readPage({ pager, rows }, { limit: '5', offset: '20' })
  assert.equal(page.more, true)
  assert.deepEqual(page.links.next, [
    ['limit', '5'],
    ['offset', '25'],
  ])
  const { next } = page.links
  assert.equal(
    refusal(() => readPage({ pager, rows }, Object.fromEntries(next ?? []))).reason,
    'invalid_offset',
  )
})

test('a total that is not exact links no last page', () => {
  const bounded = eventPager({ style: 'offset', total: { atMost: 10 } })
  const request = bounded.parse({ limit: '5', offset: '5' })
  for (const kind of ['at_least', 'estimate'] as const) {
    const page = bounded.finish(request, eventsUpTo(6), { value: 11, kind })
    assert.deepEqual(offsetsOf(page), { first: '0', prev: '0', next: '10' })
  }
  const uncounted = eventPager({ style: 'offset', total: 'none' })
  assert.deepEqual(offsetsOf(readPage({ pager: uncounted, rows: eventsUpTo(7) }, { limit: '5' })), {
    first: '0',
    next: '5',
  })
})

test('links repeat every other parameter as it was, repeated ones repeated, in their order', () => {
  const query = new URLSearchParams('kind=call&limit=2&kind=login&q=a%26b%3Dc&offset=2&empty=')
  const kept = [
    ['kind', 'call'],
    ['limit', '2'],
    ['kind', 'login'],
    ['q', 'a&b=c'],
    ['empty', ''],
  ]
  const offsets = readPage({ pager, rows: eventsUpTo(9) }, query)
  assert.deepEqual(offsets.links.next, [...kept, ['offset', '4']])
  assert.deepEqual(offsets.links.first, [...kept, ['offset', '0']])
  query.delete('offset')
  const cursors = readPage({ pager: eventPager(), rows: eventsUpTo(9) }, query)
  assert.deepEqual(cursors.links.next, [...kept, ['cursor', cursors.next]])
  assert.deepEqual(cursors.links.first, kept)
})

test('a cursor is replaced in links, never repeated beside the old one', () => {
  const list = { pager: eventPager(), rows: eventsUpTo(9) }
  const second = walkLinks(list, 'next', { limit: '2' })[1]
  assert.equal(second?.links.next?.filter(([name]) => name === 'cursor').length, 1)
  assert.equal(second?.links.first?.filter(([name]) => name === 'cursor').length, 0)
})

test('what is not text in a parsed query is not written into links as if it were', () => {
  const cursors = eventPager()
  for (const value of [null, { $gt: '' }, [{ a: 1 }], [null]]) {
    const request = Reflect.apply(cursors.parse, undefined, [{ limit: '2', kind: value }])
    assert.deepEqual(cursors.finish(request, []).links.first, [['limit', '2']])
  }
})

function offsetsAt(total: number, query: Query): Record<string, string | undefined> {
  return offsetsOf(readPage({ pager, rows: eventsUpTo(total) }, query))
}

function offsetsOf(page: Page<Event>): Record<string, string | undefined> {
  return Object.fromEntries(
    Object.entries(page.links).map(([relation, query]) => [
      relation,
      query.find(([name]) => name === 'offset')?.[1],
    ]),
  )
}
