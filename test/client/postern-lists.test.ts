import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cursorPages } from '../../src/client/cursor-pages.ts'
import { offsetPages } from '../../src/client/offset-pages.ts'
import { pageTokenPages } from '../../src/client/page-token-pages.ts'
import { walk } from '../../src/client/walk.ts'
import { Failure } from '../../src/failure/failure.ts'
import { pageArray } from '../../src/paging/page-array.ts'
import type { Pager } from '../../src/paging/pager.ts'
import { renderBody } from '../../src/paging/render.ts'
import { type Event, eventPager, eventsUpTo, eventTokens, noon, readPage } from '../paging/event-list.ts'
import { type AnsweringServer, startAnsweringServer } from './answering-server.ts'
import { isClientError } from './client-error-check.ts'
import { drain } from './cut-list.ts'

const rows = eventsUpTo(50)
const newestFirst = rows.map(({ id }) => id).toReversed()
const parse = (item: unknown): number => Number(Reflect.get(Object(item), 'id'))

for (const [claim, pager, pages] of [
  ['offset style', eventPager({ style: 'offset' }), (url: string) => offsetPages(url, { limit: 7, parse })],
  ['cursor style', eventPager(), (url: string) => cursorPages(url, { limit: 7, parse })],
  [
    'page-token style',
    eventPager({ style: 'page-token' }),
    (url: string) => pageTokenPages(url, { pageSize: 7, parse }),
  ],
] as const)
  test(`a walk through a Postern list in ${claim} gives every record once, in order, and stops on the last page`, async () => {
    await using server = await serve(pager)
    assert.deepEqual(await drain(walk(pages(server.url), { prefetch: true })), newestFirst)
    assert.equal(server.requests.length, 8)
  })

test('a total that is only a lower bound does not end the walk early', async () => {
  const pager = eventPager({ style: 'offset', total: { atMost: 10 } })
  await using server = await startAnsweringServer((_request, _response, url) => {
    const request = pager.parse(url.searchParams)
    return renderBody(
      pager.finish(request, pageArray(pager.plan(request), rows), { value: 10, kind: 'at_least' }),
    )
  })
  assert.deepEqual(await drain(walk(offsetPages(server.url, { limit: 7, parse }))), newestFirst)
})

test('a cursor that expires during a walk gives cursor_expired with the last checkpoint', async () => {
  let now = noon
  const pager = eventPager({ tokens: eventTokens({ now: () => now }) })
  await using server = await serve(pager)
  const saved: string[] = []
  const walking = walk(cursorPages(server.url, { limit: 20, parse }), {
    onCheckpoint: (position) => {
      saved.push(position)
      if (saved.length === 2) now += 365 * 24 * 3600 * 1000
    },
  })
  const taken: number[] = []
  await assert.rejects(
    async () => {
      for await (const id of walking) taken.push(id)
    },
    (error: unknown) => isClientError('cursor_expired', saved[1])(error),
  )
  assert.deepEqual(taken, newestFirst.slice(0, 40))
  assert.equal(walking.position, saved[1])
})

function serve(pager: Pager<Event>): Promise<AnsweringServer> {
  return startAnsweringServer((_request, response, url) => {
    try {
      return renderBody(readPage({ pager, rows }, url.searchParams))
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      response.statusCode = 400
      return { status: 400, code: error.reason, detail: error.message }
    }
  })
}
