import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inspect } from 'node:util'
import {
  cursorOf,
  type Event,
  eventPager,
  eventTokens,
  noon,
  refusal,
  secret,
} from '../../test/paging/event-list.ts'
import type { Failure } from '../failure/failure.ts'
import type { PageContext } from './page-request.ts'
import type { Pager } from './pager.ts'
import type { Query } from './query.ts'

interface Stored {
  readonly title: string
  readonly ask: readonly [pager: Pager<Event>, query: Query, context?: PageContext]
  readonly reason: string
  readonly field: string
  readonly recovery: string
  readonly message: string
}

const list = eventPager()
const cursor = cursorOf(list)
const offsets = eventPager({ style: 'offset' })
const sizes = eventPager({ style: 'page-token' })
const expired = eventPager({ tokens: eventTokens({ now: () => noon + 4 * 86_400_000 }) })

const stored: readonly Stored[] = [
  {
    title: 'invalid_cursor',
    ask: [list, { cursor: `${cursor}!` }],
    reason: 'invalid_cursor',
    field: 'cursor',
    recovery: 'restart',
    message: 'cursor is not one that this list gave you: begin again without it',
  },
  {
    title: 'invalid_cursor in page-token style',
    ask: [sizes, { pageToken: `${cursor}!` }],
    reason: 'invalid_cursor',
    field: 'pageToken',
    recovery: 'restart',
    message: 'pageToken is not one that this list gave you: begin again without it',
  },
  {
    title: 'cursor_expired',
    ask: [expired, { cursor }],
    reason: 'cursor_expired',
    field: 'cursor',
    recovery: 'restart',
    message: 'cursor has expired: begin again without it',
  },
  {
    title: 'cursor_mismatch by another list',
    ask: [eventPager({ id: 'sessions' }), { cursor }],
    reason: 'cursor_mismatch',
    field: 'cursor',
    recovery: 'restart',
    message:
      'cursor was given for another list or another order of it: repeat that request, or begin again without it',
  },
  {
    title: 'cursor_mismatch by other filters',
    ask: [list, { cursor }, { filters: { kind: 'call' } }],
    reason: 'cursor_mismatch',
    field: 'cursor',
    recovery: 'restart',
    message: 'cursor was given with other filters: repeat that request, or begin again without it',
  },
  {
    title: 'invalid_limit',
    ask: [list, { limit: '101' }],
    reason: 'invalid_limit',
    field: 'limit',
    recovery: 'fix_request',
    message: 'limit must be a whole number from 1 to 100',
  },
  {
    title: 'invalid_limit in page-token style',
    ask: [sizes, { pageSize: '-1' }],
    reason: 'invalid_limit',
    field: 'pageSize',
    recovery: 'fix_request',
    message: 'pageSize must be a whole number of 0 or more',
  },
  {
    title: 'invalid_offset',
    ask: [offsets, { offset: '-1' }],
    reason: 'invalid_offset',
    field: 'offset',
    recovery: 'fix_request',
    message: 'offset must be a whole number of 0 or more',
  },
  {
    title: 'invalid_offset beyond the ceiling',
    ask: [offsets, { offset: '10001' }],
    reason: 'invalid_offset',
    field: 'offset',
    recovery: 'fix_request',
    message: 'offset must be at most 10000: narrow the list by its filters',
  },
]

for (const { title, ask, ...expected } of stored)
  test(`${title} is answered with these words and no others`, () => {
    const { code, reason, field, recovery, message, cause } = refused(ask)
    assert.deepEqual(
      { code, reason, field, recovery, message, cause },
      {
        code: 'invalid-request',
        cause: undefined,
        ...expected,
      },
    )
  })

test('no refusal repeats what was sent, a secret or a row, neither in its fields nor in a log', () => {
  const given = ['1', '2026-11-15 10:00:00', 'hunter2', secret, cursor, `${cursor}!`, '\u0000\n<script>']
  const asks: readonly Stored['ask'][] = [
    ...given.map((text): Stored['ask'] => [list, { cursor: text, limit: '2' }, { filters: { text } }]),
    ...given.slice(1).map((text): Stored['ask'] => [list, { limit: text }]),
    ...given.slice(1).map((text): Stored['ask'] => [offsets, { offset: text }]),
    [expired, { cursor }],
  ]
  for (const ask of asks) {
    const failure = refused(ask)
    const told = `${inspect(Object.entries(failure))} ${JSON.stringify(failure)} ${String(failure)}`
    for (const text of given.slice(1)) assert.equal(told.includes(text), false, told)
    assert.equal(told.includes('100001'), false, 'the position of a row')
  }
})

function refused([pager, query, context]: Stored['ask']): Failure {
  return refusal(() => pager.parse(query, context))
}
