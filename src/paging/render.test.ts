import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type Event, eventPager, eventsUpTo, readPage, refusal } from '../../test/paging/event-list.ts'
import { octokitTarget, parseLinkHeader, targetOf } from '../../test/paging/link-header.ts'
import type { Page } from './page.ts'
import type { Pager } from './pager.ts'
import type { PageStyle } from './pager-options.ts'
import type { Query } from './query.ts'
import { renderBody, renderHeaders } from './render.ts'

const rows = eventsUpTo(7)
const cursors = eventPager()
const offsets = eventPager({ style: 'offset' })
const sizes = eventPager({ style: 'page-token' })

test('offset style: items, total, offset and limit', () => {
  const page = readPage({ pager: offsets, rows }, { offset: '2', limit: '3' })
  assert.deepEqual(renderBody(page), { items: page.items, total: 7, offset: 2, limit: 3 })
})

test('cursor style: items, next_cursor and has_more; both are there at the end as well', () => {
  const page = readPage({ pager: cursors, rows }, { limit: '5' })
  assert.equal(typeof page.next, 'string')
  assert.deepEqual(renderBody(page), { items: page.items, next_cursor: page.next, has_more: true })
  const end = readPage({ pager: cursors, rows }, { limit: '7' })
  assert.equal(
    JSON.stringify(renderBody({ ...end, items: [] })),
    '{"items":[],"next_cursor":null,"has_more":false}',
  )
})

test('page-token style: nextPageToken is a string, or absent at the end', () => {
  const page = readPage({ pager: sizes, rows }, { pageSize: '5' })
  assert.deepEqual(renderBody(page), { items: page.items, nextPageToken: page.next })
  const end = readPage({ pager: sizes, rows }, { pageSize: '7' })
  assert.deepEqual(renderBody(end), { items: end.items })
})

test('the names on the wire are those of the list', () => {
  const pager = eventPager({
    style: 'page-token',
    names: {
      items: 'models',
      next: 'next_page_token',
      token: 'page_token',
      limit: 'page_size',
      total: 'total_size',
    },
    total: 'exact',
  })
  const page = readPage({ pager, rows }, { page_size: '5' })
  assert.deepEqual(renderBody(page), { models: page.items, next_page_token: page.next, total_size: 7 })
  assert.ok(String(renderHeaders(page, '/models').Link).includes(`?page_size=5&page_token=${page.next}>`))
})

test('a total that is not exact is labelled, and never in X-Total-Count', () => {
  const kinds = ['at_least', 'estimate'] as const
  for (const kind of kinds) {
    const offsetPage = eventPager({ style: 'offset' }).finish(offsets.parse({ limit: '2' }), rows, {
      value: 90,
      kind,
    })
    assert.deepEqual(renderBody(offsetPage), {
      items: rows.slice(0, 2),
      total: 90,
      total_kind: kind,
      offset: 0,
      limit: 2,
      has_more: true,
    })
    assert.equal(renderHeaders(offsetPage, '/e')['X-Total-Count'], undefined)
    const tokenPage = sizes.finish(sizes.parse({ pageSize: '2' }), rows, { value: 90, kind })
    assert.deepEqual(Reflect.get(renderBody(tokenPage), 'totalSizeKind'), kind)
  }
})

test('each place of the metadata can be switched off on its own', () => {
  const total = 'exact'
  const plain = eventPager({ total, placement: { body: false } })
  const page = readPage({ pager: plain, rows }, { limit: '2' })
  assert.deepEqual(renderBody(page), page.items)
  assert.deepEqual(Object.keys(renderHeaders(page, '/e')), ['Link', 'X-Total-Count'])
  const bodyOnly = eventPager({ total, placement: { link: false, totalCount: false } })
  assert.deepEqual(renderHeaders(readPage({ pager: bodyOnly, rows }, { limit: '2' }), '/e'), {})
})

interface Asked {
  readonly style: PageStyle
  readonly count: number
  readonly limit: number
  readonly skipped: number
  readonly hasTotal: boolean
  readonly extra: readonly (readonly [string, string])[]
}

const asked: fc.Arbitrary<Asked> = fc.record({
  style: fc.constantFrom('offset', 'cursor', 'page-token'),
  count: fc.nat(30),
  limit: fc.integer({ min: 1, max: 9 }),
  skipped: fc.nat(4),
  hasTotal: fc.boolean(),
  extra: fc.array(
    fc.tuple(fc.constantFrom('kind', 'q', 'a b', 'ü', '<>', '"'), fc.string({ unit: 'grapheme' })),
    { maxLength: 3 },
  ),
})

test('body, Link, X-Total-Count and has_more say the same, and lead to the same request', () => {
  fc.assert(
    fc.property(asked, (ask) => {
      const pager = eventPager({ style: ask.style, total: ask.hasTotal ? 'exact' : 'none' })
      const query = reach(pager, ask)
      const page = readPage({ pager, rows: eventsUpTo(ask.count) }, query)
      const headers = renderHeaders(page, '/api/events')
      const next = targetOf(headers.Link ?? '', 'next')
      for (const relation of ['first', 'prev', 'next', 'last'])
        assert.equal(octokitTarget(headers.Link ?? '', relation), targetOf(headers.Link ?? '', relation))
      const byBody = nextByBody(page, query)
      assert.equal(next === undefined, byBody === undefined)
      assert.equal(page.more, next !== undefined)
      if (next !== undefined && byBody !== undefined)
        assert.deepEqual(pager.parse(queryOf(next)), pager.parse(byBody))
      const total: unknown = Reflect.get(renderBody(page), page.layout.names.total)
      assert.equal(total, ask.hasTotal ? ask.count : undefined)
      assert.equal(headers['X-Total-Count'], ask.hasTotal ? String(ask.count) : undefined)
    }),
    { numRuns: 500 },
  )
})

test('a base is kept as it is: a path, a path with a prefix, or an absolute URL', () => {
  const page = readPage({ pager: offsets, rows }, { limit: '7' })
  for (const base of [
    '/events',
    '/team/gate/api/v1/events',
    'https://gate.example:8443/x/events',
    'events',
    '/%C3%BC',
  ])
    assert.equal(
      renderHeaders(page, base).Link,
      `<${base}?limit=7&offset=0>; rel="first", <${base}?limit=7&offset=0>; rel="last"`,
    )
})

test('without a parameter a link is the base alone', () => {
  const page = readPage({ pager: cursors, rows }, {})
  assert.equal(renderHeaders(page, '/events').Link, '</events>; rel="first"')
})

test('a base that could break out of the header, or cannot carry a query, is refused', () => {
  const page = readPage({ pager: cursors, rows }, {})
  const bases = [
    '',
    ' ',
    '/a b',
    '/a\r\nSet-Cookie: x=y',
    '/a\n',
    '/a>',
    '</a',
    '/"',
    '/\\',
    '/{id}',
    '/ü',
    '/\0',
    '/a#top',
  ]
  for (const base of bases) {
    const failure = refusal(() => renderHeaders(page, base))
    assert.equal(failure.code, 'misconfigured', JSON.stringify(base))
    assert.match(failure.message, /the base of links must be/)
  }
})

test('a base with a query or a fragment of its own is refused', () => {
  const page = readPage({ pager: cursors, rows }, { limit: '2' })
  for (const base of ['/events?tenant=a', '/events?', '/events#top'])
    assert.equal(refusal(() => renderHeaders(page, base)).code, 'misconfigured')
})

test('hostile values in other parameters stay values', () => {
  const hostile = [
    'a&cursor=x',
    '>; rel="next", <//evil',
    '\r\nSet-Cookie: a=b',
    '#x',
    '%0d%0a',
    'ü €',
    '"',
    '\u2028',
    ' ',
  ]
  for (const kind of hostile) {
    const page = readPage({ pager: cursors, rows }, { kind, limit: '2' })
    const { Link = '' } = renderHeaders(page, '/events')
    assert.match(Link, /^[\x20-\x7e]+$/)
    assert.equal(parseLinkHeader(Link).length, 2)
    const followed = queryOf(targetOf(Link, 'next') ?? '')
    assert.deepEqual([...followed.keys()], ['kind', 'limit', 'cursor'])
    assert.equal(followed.get('kind'), kind)
  }
})

test('parameters that name a host change no address', () => {
  const query = {
    host: 'evil.example',
    'x-forwarded-host': 'evil.example',
    base: '//evil.example',
    limit: '2',
  }
  for (const { target } of parseLinkHeader(
    renderHeaders(readPage({ pager: cursors, rows }, query), '/events').Link ?? '',
  ))
    assert.equal(new URL(target, 'https://gate.example').origin, 'https://gate.example')
})

test('a long filter is repeated in full', () => {
  const q = 'ä'.repeat(2000)
  const page = readPage({ pager: cursors, rows }, { q, limit: '2' })
  const { Link = '' } = renderHeaders(page, '/events')
  assert.equal(queryOf(targetOf(Link, 'next') ?? '').get('q'), q)
})

function queryOf(target: string): URLSearchParams {
  return new URL(target, 'https://gate.example').searchParams
}

/** A query somewhere in the list: some pages on, or at an offset that need not be a multiple of the limit. */
function reach(pager: Pager<Event>, ask: Asked): URLSearchParams {
  const size = ask.style === 'page-token' ? 'pageSize' : 'limit'
  let query = new URLSearchParams([
    ...ask.extra.map(([name, value]) => [name, value]),
    [size, String(ask.limit)],
  ])
  if (ask.style === 'offset') query.append('offset', String(ask.skipped * 3))
  for (let step = 0; step < ask.skipped && ask.style !== 'offset'; step += 1) {
    const { links } = readPage({ pager, rows: eventsUpTo(ask.count) }, query)
    if (links.next !== undefined)
      query = new URLSearchParams(links.next.map(([name, value]) => [name, value]))
  }
  return query
}

/** What a client sends next that has read only the body. */
function nextByBody(page: Page<Event>, query: URLSearchParams): Query | undefined {
  const body = renderBody(page)
  const next = new URLSearchParams(query)
  const { total, offset, limit, has_more, next_cursor, nextPageToken } = Object.fromEntries(
    Object.entries(body),
  )
  if (page.layout.style === 'offset') {
    const goesOn = has_more ?? Number(offset) + page.items.length < Number(total)
    if (!goesOn || page.items.length === 0) return undefined
    next.set('offset', String(Number(offset) + Number(limit)))
    return next
  }
  const token: unknown = page.layout.style === 'cursor' ? next_cursor : nextPageToken
  if (page.layout.style === 'cursor') assert.equal(has_more, token !== null)
  if (typeof token !== 'string') return undefined
  next.set(page.layout.names.token, token)
  return next
}
