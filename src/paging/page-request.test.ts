import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
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
} from '../../test/paging/event-list.ts'
import { Failure } from '../failure/failure.ts'
import type { PageContext } from './page-request.ts'
import type { Pager } from './pager.ts'
import type { Query } from './query.ts'

const list = eventPager()
const offsets = eventPager({ style: 'offset' })
const sizes = eventPager({ style: 'page-token' })

test('a first request has no position, the defaults, and nothing read yet', () => {
  const { position, limit, offset, backward, sort } = list.parse({})
  assert.deepEqual([position, limit, offset, backward, sort], [null, 20, 0, false, newest])
})

test('a cursor is read as the position of the last row of its page', () => {
  const { position, backward } = list.parse({ cursor: cursorOf(list) })
  assert.deepEqual(position, ['2026-11-15 10:00:00.100001+00', 4])
  assert.equal(backward, false)
})

test('any query object is answered or refused by name, in every style', () => {
  const names = fc.constantFrom(
    'cursor',
    'limit',
    'offset',
    'pageToken',
    'pageSize',
    'kind',
    '__proto__',
    'toString',
  )
  const value = fc.oneof(fc.string(), fc.constantFrom('1', '5', '', cursorOf(list)), fc.anything(odd))
  const queries = fc.oneof(fc.dictionary(names, value), fc.dictionary(fc.string(), value))
  fc.assert(
    fc.property(queries, fc.constantFrom(list, offsets, sizes), (query, pager) => {
      assertNamed(() => Reflect.apply(pager.parse, undefined, [query]))
    }),
    { numRuns: 2000 },
  )
})

test('any query string is answered or refused by name, in every style', () => {
  const pieces = fc.constantFrom(
    'cursor=',
    'limit=',
    'offset=',
    'pageToken=',
    '&',
    '=',
    '%',
    '%00',
    '+',
    cursorOf(list),
    '5',
  )
  const strings = fc.array(fc.oneof(pieces, fc.string()), { maxLength: 8 }).map((parts) => parts.join(''))
  fc.assert(
    fc.property(strings, fc.constantFrom(list, offsets, sizes), (text, pager) => {
      assertNamed(() => pager.parse(new URLSearchParams(text)))
    }),
    { numRuns: 2000 },
  )
})

test('a cursor given twice is none, even the same one', () => {
  const cursor = cursorOf(list)
  const twice: readonly Query[] = [
    { cursor: [cursor, cursor] },
    { cursor: [cursor, ''] },
    new URLSearchParams(`cursor=${cursor}&cursor=b`),
  ]
  for (const query of twice) assert.equal(reasonOf(list, query), 'invalid_cursor')
})

test('a number given twice is none', () => {
  assert.equal(reasonOf(list, { limit: ['5', '5'] }), 'invalid_limit')
  assert.equal(reasonOf(offsets, new URLSearchParams('offset=5&offset=6')), 'invalid_offset')
  assert.equal(refusal(() => list.parse({ limit: ['5', '5'] })).message, 'limit must be given once')
})

test('a place in the words of another style is refused, not answered with the first page', () => {
  assert.equal(reasonOf(list, { offset: '20' }), 'invalid_offset')
  assert.equal(reasonOf(sizes, { offset: '20' }), 'invalid_offset')
  assert.equal(reasonOf(offsets, { cursor: cursorOf(list) }), 'invalid_cursor')
  assert.equal(reasonOf(list, { pageToken: cursorOf(list) }), 'invalid_cursor')
  assert.equal(reasonOf(sizes, { cursor: cursorOf(list) }), 'invalid_cursor')
  const failure = refusal(() => list.parse({ offset: '20' }))
  assert.match(failure.message, /is read by cursor, not by offset$/)
})

test('an empty cursor is invalid, and in page-token style it is the first page', () => {
  assert.equal(reasonOf(list, { cursor: '' }), 'invalid_cursor')
  assert.equal(sizes.parse({ pageToken: '' }).position, null)
})

test('a list is never read from the start because a cursor was bad', () => {
  for (const cursor of ['', '0', 'null', 'undefined', 'AAAA', cursorOf(list).slice(1), 'x'.repeat(5000)])
    assert.equal(reasonOf(list, { cursor }), 'invalid_cursor')
})

const filters = { kind: 'call', tags: ['a', 'b'], owner: null }
const filtered = cursorOf(list, { filters })

test('the same filters in another spelling keep the cursor good', () => {
  const same = [
    filters,
    { owner: null, tags: ['a', 'b'], kind: 'call' },
    { ...filters, until: undefined },
    structuredClone(filters),
  ]
  for (const one of same) assert.equal(list.parse({ cursor: filtered }, { filters: one }).position?.at(-1), 4)
})

test('a changed, missing, added or reordered filter is a mismatch', () => {
  const other: readonly (object | undefined)[] = [
    undefined,
    {},
    { ...filters, kind: 'login' },
    { ...filters, extra: 1 },
    { ...filters, tags: ['b', 'a'] },
    { ...filters, owner: undefined },
  ]
  for (const one of other)
    assert.equal(
      reasonOf(list, { cursor: filtered }, one === undefined ? {} : { filters: one }),
      'cursor_mismatch',
      JSON.stringify(one),
    )
})

test('limit and parameters that are no filters may change in the middle of a walk', () => {
  const request = list.parse({ cursor: filtered, limit: '7', fields: 'id' }, { filters })
  assert.deepEqual([request.limit, request.position?.at(-1)], [7, 4])
})

test('the cursor of the second page is bound like that of the first', () => {
  const rows = eventsUpTo(9)
  const second = readPage({ pager: list, rows, context: { filters } }, { cursor: filtered, limit: '2' })
  assert.ok(second.next !== null)
  assert.equal(reasonOf(list, { cursor: second.next }), 'cursor_mismatch')
  const third = readPage({ pager: list, rows, context: { filters } }, { cursor: second.next, limit: '2' })
  assert.deepEqual(idsOf(third), [1])
})

test('a cursor of another list, style, order or bound is a mismatch', () => {
  const [createdAt, id] = newest
  assert.ok(createdAt !== undefined && id !== undefined)
  const changed = [
    eventPager({ id: 'sessions' }),
    eventPager({ style: 'page-token', names: { token: 'cursor' } }),
    eventPager({ sorts: { newest: [id] } }),
    eventPager({ sorts: { newest: [{ ...createdAt, type: 'timestamp' }, id] } }),
    eventPager({ sorts: { newest: [{ ...createdAt, nulls: 'last' }, id] } }),
    eventPager({ sorts: { newest: [createdAt, { ...id, direction: 'ascending' }] } }),
    eventPager({ sorts: { newest: [{ ...createdAt, cast: 'text' }, id] } }),
  ]
  for (const pager of changed) assert.equal(reasonOf(pager, { cursor: cursorOf(list) }), 'cursor_mismatch')
  const bounded = eventPager({ asOf: 'created_at' })
  assert.equal(reasonOf(bounded, { cursor: cursorOf(list) }), 'cursor_mismatch')
})

test('another sort of the same list is a mismatch, and an unknown one is our own fault', () => {
  const two = eventPager({ sorts: { newest, oldest: [{ ...last(), direction: 'ascending' }] } })
  assert.equal(reasonOf(two, { cursor: cursorOf(two) }, { sort: 'oldest' }), 'cursor_mismatch')
  for (const sort of ['', 'name', '__proto__', 'toString'])
    assert.equal(refusal(() => two.parse({}, { sort })).code, 'internal')
})

test('the cursor of a private list is invalid for anybody else', () => {
  const mine = eventPager({ isPrivate: true })
  const cursor = cursorOf(mine, { principal: 'alice' })
  assert.equal(mine.parse({ cursor }, { principal: 'alice' }).position?.at(-1), 4)
  for (const principal of ['bobby', 'alic', 'alice ', 'Alice'])
    assert.equal(reasonOf(mine, { cursor }, { principal }), 'invalid_cursor')
})

test('the cursor of a public list does not open the same list once it is private, nor the other way', () => {
  const mine = eventPager({ isPrivate: true })
  assert.equal(reasonOf(mine, { cursor: cursorOf(list) }, { principal: 'alice' }), 'invalid_cursor')
  assert.equal(reasonOf(list, { cursor: cursorOf(mine, { principal: 'alice' }) }), 'invalid_cursor')
})

test('a private list is not read without a principal', () => {
  for (const pager of [eventPager({ isPrivate: true }), eventPager({ style: 'offset', isPrivate: true })])
    for (const context of [{}, { principal: '' }]) {
      const failure = refusal(() => pager.parse({}, context))
      assert.equal(failure.code, 'internal')
      assert.match(failure.message, /private and cannot be read without a principal/)
    }
})

test('a bounded list begins with a bound and carries it in its cursor, whatever the host says later', () => {
  const bounded = eventPager({ asOf: 'created_at' })
  assert.match(refusal(() => bounded.parse({})).message, /needs its newest value to begin/)
  const asOf = '2026-11-15 10:00:00.100001+00'
  const cursor = cursorOf(bounded, { asOf })
  assert.equal(bounded.parse({ cursor }).asOf, asOf)
  assert.equal(bounded.parse({ cursor }, { asOf: 'infinity' }).asOf, asOf)
  assert.match(refusal(() => Reflect.apply(bounded.parse, 0, [{}, { asOf: new Date() }])).message, /a Date/)
})

test('a token with a true proof over a position that is not one of this order is invalid', () => {
  const tokens = eventTokens()
  const { list: fingerprint, filters: none } = list.parse({})
  const forged = [
    { bounded: false, position: Buffer.from('not a position') },
    { bounded: false, position: Buffer.alloc(0) },
    { bounded: true, position: Buffer.alloc(0) },
  ].map((odd) => tokens.mint({ backward: false, list: fingerprint, filters: none, ...odd }, ''))
  for (const cursor of forged) assert.equal(reasonOf(list, { cursor }), 'invalid_cursor')
})

test('a list whose page size is ours alone does not read one', () => {
  const fixed = eventPager({ names: { limit: null }, limit: { default: 7 } })
  assert.equal(fixed.parse({ limit: 'many' }).limit, 7)
})

const odd = { withNullPrototype: true, withBigInt: true, withDate: true, withSparseArray: true } as const

function assertNamed(act: () => unknown): void {
  try {
    act()
  } catch (error) {
    assert.ok(error instanceof Failure, `threw ${String(error)}`)
    assert.equal(error.code, 'invalid-request')
    assert.match(String(error.reason), /^(invalid_cursor|cursor_mismatch|invalid_limit|invalid_offset)$/)
  }
}

function reasonOf(pager: Pager<Event>, query: Query, context: PageContext = {}): unknown {
  return refusal(() => pager.parse(query, context)).reason
}

function last(): (typeof newest)[number] {
  const id = newest.at(-1)
  assert.ok(id !== undefined)
  return id
}
