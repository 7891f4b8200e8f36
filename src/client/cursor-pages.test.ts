import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type AnsweringServer, startAnsweringServer } from '../../test/client/answering-server.ts'
import { isClientError } from '../../test/client/client-error-check.ts'
import { drain } from '../../test/client/cut-list.ts'
import { cursorPages } from './cursor-pages.ts'
import { walk } from './walk.ts'

test('cursor style repeats the request with next_cursor until it is null', async () => {
  await using server = await startAnsweringServer((_request, _response, url) =>
    url.searchParams.get('cursor') === 'a+/ &='
      ? { items: [3], next_cursor: null, has_more: false }
      : { items: [1, 2], next_cursor: 'a+/ &=', has_more: true },
  )
  const source = cursorPages(`${server.url}?kind=tool`, { limit: 2, parse: Number })
  const items: number[] = await drain(walk(source))
  assert.deepEqual(items, [1, 2, 3])
  assert.deepEqual(server.requests, [
    '/list?kind=tool&limit=2',
    '/list?kind=tool&cursor=a%2B%2F+%26%3D&limit=2',
  ])
})

test('a cursor in the given URL is not taken for a start', async () => {
  await using server = await startAnsweringServer(() => ({ items: [], next_cursor: null, has_more: false }))
  await drain(walk(cursorPages(`${server.url}?cursor=stale&kind=tool`)))
  assert.deepEqual(server.requests, ['/list?kind=tool'])
})

test('an empty page with a cursor is passed over', async () => {
  await using server = await startAnsweringServer((_request, _response, url) =>
    url.searchParams.has('cursor')
      ? { items: [1], next_cursor: null, has_more: false }
      : { items: [], next_cursor: 'B', has_more: true },
  )
  assert.deepEqual(await drain(walk(cursorPages(server.url))), [1])
})

test('"" as next_cursor is sent back as it is', async () => {
  await using server = await startAnsweringServer((_request, _response, url) =>
    url.searchParams.get('cursor') === ''
      ? { items: [2], next_cursor: null, has_more: false }
      : { items: [1], next_cursor: '', has_more: true },
  )
  assert.deepEqual(await drain(walk(cursorPages(server.url))), [1, 2])
  assert.deepEqual(server.requests, ['/list', '/list?cursor='])
})

test('parameters and fields can have other names', async () => {
  await using server = await startAnsweringServer((_request, _response, url) =>
    url.searchParams.has('after') ? { rows: [2], after: null } : { rows: [1], after: 'B' },
  )
  const source = cursorPages(server.url, {
    limit: 1,
    parameters: { cursor: 'after', limit: 'count' },
    fields: { items: 'rows', next: 'after', hasMore: null },
  })
  assert.deepEqual(await drain(walk(source)), [1, 2])
  assert.deepEqual(server.requests, ['/list?count=1', '/list?after=B&count=1'])
})

for (const [problem, body] of [
  [/"has_more" is true but "next_cursor" is null/, { items: [], next_cursor: null, has_more: true }],
  [/"has_more" is false but "next_cursor" names/, { items: [], next_cursor: 'B', has_more: false }],
  [/"has_more" is false but "next_cursor" names/, { items: [], next_cursor: '', has_more: false }],
  [/"has_more" must be true or false/, { items: [], next_cursor: null }],
  [/"has_more" must be true or false/, { items: [], next_cursor: null, has_more: 'no' }],
  [/"next_cursor" must be a string or null/, { items: [], has_more: false }],
  [/"next_cursor" must be a string or null/, { items: [], next_cursor: 5, has_more: true }],
  [/"items" must be an array/, { next_cursor: null, has_more: false }],
  [/"items" must be an array/, { items: { length: 1 }, next_cursor: null, has_more: false }],
  [/must be a JSON object/, []],
  [/must be a JSON object/, null],
  [/must be a JSON object/, 'text'],
] as const) {
  test(`the body ${JSON.stringify(body)} is refused with a clear error`, async () => {
    await using server = await startAnsweringServer(() => body)
    const error = await refusalOf(server)
    assert.match(error.message, problem)
  })
}

test('an item that parse refuses is named by its number, without its content', async () => {
  const body = { items: [1, 'secret words'], next_cursor: null, has_more: false }
  await using server = await startAnsweringServer(() => body)
  const cause = new Error('not a number')
  const parse = (item: unknown): number => {
    if (typeof item === 'number') return item
    throw cause
  }
  await assert.rejects(drain(walk(cursorPages(server.url, { parse }))), (error: Error) => {
    assert.equal(error.message, 'item 1 of the page was refused by `parse`')
    assert.equal(error.cause, cause)
    return isClientError('invalid_item', null)(error)
  })
})

test('an error in mid-walk carries the last checkpoint, and a new walk from it loses and repeats nothing', async () => {
  let isBroken = true
  await using server = await startAnsweringServer((_request, response, url) => {
    const page = Number(url.searchParams.get('cursor') ?? 0)
    if (page === 2 && isBroken) {
      response.writeHead(503).end()
      return undefined
    }
    const isLast = page === 3
    return {
      items: [page * 2, page * 2 + 1],
      next_cursor: isLast ? null : String(page + 1),
      has_more: !isLast,
    }
  })
  const taken: unknown[] = []
  const walking = walk(cursorPages(server.url), { prefetch: true })
  await assert.rejects(
    async () => {
      for await (const item of walking) taken.push(item)
    },
    isClientError('http_503', '2'),
  )
  assert.equal(walking.position, '2')
  isBroken = false
  for await (const item of walk(cursorPages(server.url), { start: walking.position })) taken.push(item)
  assert.deepEqual(taken, [0, 1, 2, 3, 4, 5, 6, 7])
})

async function refusalOf(server: AnsweringServer): Promise<Error> {
  const refusals: Error[] = []
  await assert.rejects(drain(walk(cursorPages(server.url))), (error: Error) => {
    refusals.push(error)
    return isClientError('unexpected_body', null)(error)
  })
  return refusals[0] ?? new Error('no refusal')
}
