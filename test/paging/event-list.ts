import assert from 'node:assert/strict'
import { Failure } from '../../src/failure/failure.ts'
import type { Page, Relation } from '../../src/paging/page.ts'
import { pageArray } from '../../src/paging/page-array.ts'
import type { PageContext } from '../../src/paging/page-request.ts'
import { definePager, type Pager } from '../../src/paging/pager.ts'
import type { PagerOptions } from '../../src/paging/pager-options.ts'
import type { Query } from '../../src/paging/query.ts'
import type { Sort } from '../../src/paging/sort.ts'
import { createTokenCodec, type TokenCodec, type TokenCodecOptions } from '../../src/paging/token-codec.ts'

export interface Event {
  readonly id: number
  readonly created_at: string
  readonly kind: string
}

export interface EventList {
  readonly pager: Pager<Event>
  readonly rows: readonly Event[]
  readonly context?: PageContext
}

export const secret = 'the first secret of the event list'
export const otherSecret = 'the second secret of the event list'

/** The fixed clock of these tests, in milliseconds. */
export const noon: number = Date.UTC(2026, 10, 15, 12)

export const newest: Sort<keyof Event> = [
  { column: 'created_at', type: 'timestamptz', direction: 'descending' },
  { column: 'id', type: 'integer', direction: 'descending', unique: true },
]

/** Three events share each microsecond; the newest has the highest id. */
export function eventsUpTo(count: number): Event[] {
  return Array.from({ length: count }, (_, index) => ({
    id: index + 1,
    created_at: `2026-11-15 10:00:00.${String(100_000 + Math.floor(index / 3))}+00`,
    kind: index % 2 === 0 ? 'call' : 'login',
  }))
}

export function eventTokens(options: Partial<TokenCodecOptions> = {}): TokenCodec {
  return createTokenCodec({ secrets: [secret], now: () => noon, ...options })
}

export function eventPager(options: Partial<PagerOptions<keyof Event>> = {}): Pager<Event> {
  return definePager<Event>({
    id: 'events',
    style: 'cursor',
    sorts: { newest },
    tokens: eventTokens(),
    ...options,
  })
}

/** One request from parse to finish, with the array as the database. */
export function readPage({ pager, rows, context = {} }: EventList, query: Query): Page<Event> {
  const request = pager.parse(query, context)
  const found = pageArray(pager.plan(request), rows)
  const isCounted = pager.count(request, found.length) !== null
  return pager.finish(request, found, isCounted ? { value: rows.length, kind: 'exact' } : undefined)
}

/** Every page from the first on, by the link that the header would show. */
export function walkLinks(list: EventList, relation: Relation, start: Query): Page<Event>[] {
  const pages: Page<Event>[] = []
  let query: Query | undefined = start
  while (query !== undefined) {
    const page = readPage(list, query)
    pages.push(page)
    assert.ok(pages.length <= list.rows.length + 1, 'the walk does not end')
    const link: readonly (readonly [string, string])[] | undefined = page.links[relation]
    query = link === undefined ? undefined : new URLSearchParams(link.map(([name, value]) => [name, value]))
  }
  return pages
}

export function idsOf(page: Page<Event>): number[] {
  return page.items.map((event) => event.id)
}

/** The cursor that leads from the first page of two events to the second. */
export function cursorOf(pager: Pager<Event>, context: PageContext = {}): string {
  const { next } = readPage({ pager, rows: eventsUpTo(5), context }, { limit: '2' })
  assert.ok(next !== null)
  return next
}

/** What the act was refused with; anything that is thrown and is not a Failure fails the test. */
export function refusal(act: () => unknown): Failure {
  let answer: unknown
  try {
    answer = act()
  } catch (error) {
    assert.ok(error instanceof Failure, `threw ${String(error)}, which is not a Failure`)
    return error
  }
  assert.fail(`was not refused, but answered ${String(answer)}`)
}
