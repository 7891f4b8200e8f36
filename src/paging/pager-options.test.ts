import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Event, eventPager, eventTokens, newest, refusal } from '../../test/paging/event-list.ts'
import { definePager } from './pager.ts'
import { type PagerOptions, settle } from './pager-options.ts'

type Options = PagerOptions<keyof Event>

const tokens = eventTokens()
const cursor: Options = { id: 'events', style: 'cursor', sorts: { newest }, tokens }
const offset: Options = { id: 'events', style: 'offset', sorts: { newest } }

test('cursor style: limit 1 to 100, 20 unless told, refused beyond; no total', () => {
  const { limit, names, total, placement } = settle(cursor)
  assert.deepEqual(limit, { default: 20, maximum: 100, overMaximum: 'refuse', zero: 'refuse' })
  assert.deepEqual(
    [names.limit, names.token, names.items, names.next],
    ['limit', 'cursor', 'items', 'next_cursor'],
  )
  assert.equal(total, 'none')
  assert.deepEqual(placement, { body: true, link: true, totalCount: true })
})

test('offset style: limit 50 unless told, an exact total, and a ceiling of 10000', () => {
  const settings = settle(offset)
  assert.deepEqual(settings.limit, { default: 50, maximum: 100, overMaximum: 'refuse', zero: 'refuse' })
  assert.deepEqual([settings.total, settings.maximumOffset, settings.tokens], ['exact', 10_000, null])
})

test('page-token style: the names and the size rules of AIP-158', () => {
  const { limit, names } = settle({ ...cursor, style: 'page-token' })
  assert.deepEqual(limit, { default: 50, maximum: 1000, overMaximum: 'lower', zero: 'default' })
  assert.deepEqual([names.limit, names.token, names.next], ['pageSize', 'pageToken', 'nextPageToken'])
})

test('one changed setting leaves its neighbours as they were', () => {
  const settings = settle({
    ...cursor,
    limit: { default: 5 },
    names: { items: 'events' },
    placement: { link: false },
  })
  assert.deepEqual(settings.limit, { default: 5, maximum: 100, overMaximum: 'refuse', zero: 'refuse' })
  assert.deepEqual([settings.names.items, settings.names.next], ['events', 'next_cursor'])
  assert.deepEqual(settings.placement, { body: true, link: false, totalCount: true })
})

test('the first sort is the default', () => {
  const oldest = [{ column: 'id', type: 'integer', direction: 'ascending', unique: true }] as const
  const pager = eventPager({ sorts: { oldest, newest } })
  assert.deepEqual(pager.parse({}).sort, oldest)
  assert.deepEqual(pager.parse({}, { sort: 'newest' }).sort, newest)
})

const [createdAt, id] = newest
assert.ok(createdAt !== undefined && id !== undefined)

const refused: readonly (readonly [why: string, options: Options, message: RegExp])[] = [
  ['no sort', { ...cursor, sorts: {} }, /needs at least one sort/],
  [
    'a sort without a unique last key',
    { ...cursor, sorts: { newest: [createdAt] } },
    /must end in a key that is unique/,
  ],
  [
    'a second sort without a unique last key',
    { ...cursor, sorts: { newest, other: [id, createdAt] } },
    /sort "other" must end in a key that is unique/,
  ],
  [
    'an offset list whose order is not unique',
    { ...offset, sorts: { newest: [createdAt] } },
    /must end in a key/,
  ],
  ['cursor style without tokens', { id: 'events', style: 'cursor', sorts: { newest } }, /needs `tokens`/],
  [
    'page-token style without tokens',
    { id: 'events', style: 'page-token', sorts: { newest } },
    /needs `tokens`/,
  ],
  ['a bound in offset style', { ...offset, tokens, asOf: 'created_at' }, /has no token to carry `asOf` in/],
  [
    'a bound that is no key of a sort',
    { ...cursor, asOf: 'kind' },
    /has the sort "newest" without its `asOf` column/,
  ],
  ['a default limit of 0', { ...cursor, limit: { default: 0 } }, /needs 1 ≤ default limit ≤ maximum/],
  ['a negative default limit', { ...cursor, limit: { default: -1 } }, /needs 1 ≤ default limit ≤ maximum/],
  [
    'a default limit above the maximum',
    { ...cursor, limit: { default: 101 } },
    /needs 1 ≤ default limit ≤ maximum/,
  ],
  [
    'a default limit that is no number',
    { ...cursor, limit: { default: Number.NaN } },
    /needs 1 ≤ default limit/,
  ],
  ['a default limit that is not whole', { ...cursor, limit: { default: 1.5 } }, /needs 1 ≤ default limit/],
  ['a maximum that is not whole', { ...cursor, limit: { maximum: 99.5 } }, /needs 1 ≤ default limit/],
  ['no maximum', { ...cursor, limit: { maximum: Infinity } }, /needs 1 ≤ default limit/],
  [
    'metadata nowhere',
    { ...cursor, placement: { body: false, link: false } },
    /hides where the next page is/,
  ],
  ['a ceiling that is no number', { ...offset, maximumOffset: Number.NaN }, /offset/],
  ['a negative ceiling', { ...offset, maximumOffset: -1 }, /offset/],
  ['a bounded total that is no number', { ...offset, total: { atMost: Number.NaN } }, /total/],
  ['a bounded total of 0', { ...offset, total: { atMost: 0 } }, /total/],
  ['a bounded total that is not whole', { ...offset, total: { atMost: 10.5 } }, /total/],
  ['one parameter for two things', { ...cursor, names: { token: 'limit' } }, /name/],
  ['one member for two things', { ...cursor, names: { next: 'items' } }, /name/],
]

for (const [why, options, message] of refused)
  test(`a list is refused at its definition: ${why}`, () => {
    const failure = refusal(() => definePager<Event>(options))
    assert.equal(failure.code, 'misconfigured')
    assert.match(failure.message, message)
  })

test('the refusal of a definition names the list', () => {
  assert.match(refusal(() => definePager<Event>({ ...cursor, sorts: {} })).message, /^pager "events" /)
})
