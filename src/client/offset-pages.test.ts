import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { startAnsweringServer } from '../../test/client/answering-server.ts'
import { isClientError } from '../../test/client/client-error-check.ts'
import { drain } from '../../test/client/cut-list.ts'
import { offsetPages } from './offset-pages.ts'
import { walk } from './walk.ts'

const records = Array.from({ length: 7 }, (_, index) => index)

test('the next offset counts the items that came, not the limit that was asked for', async () => {
  await using server = await startAnsweringServer((_request, _response, url) => {
    const offset = Number(url.searchParams.get('offset'))
    return { items: records.slice(offset, offset + 3), total: 7, offset, limit: 3 }
  })
  assert.deepEqual(await drain(walk(offsetPages(server.url, { limit: 500 }))), records)
  assert.deepEqual(server.requests, [
    '/list?offset=0&limit=500',
    '/list?offset=3&limit=500',
    '/list?offset=6&limit=500',
  ])
})

test('however a server cuts its pages, with a total, with has_more or with neither, the walk is complete', async () => {
  let size = 1
  let form = 'total'
  await using server = await startAnsweringServer((_request, _response, url) => {
    const offset = Number(url.searchParams.get('offset'))
    const items = records.slice(offset, offset + size)
    const hasMore = offset + items.length < records.length
    const estimate = { total: 5, total_kind: 'estimate', has_more: hasMore }
    return {
      items,
      offset,
      limit: size,
      ...{ total: { total: 7 }, flag: { has_more: hasMore }, estimate, none: {} }[form],
    }
  })
  const walks = fc.asyncProperty(
    fc.integer({ min: 1, max: 8 }),
    fc.constantFrom('total', 'flag', 'estimate', 'none'),
    fc.nat({ max: 7 }),
    async (someSize, someForm, start) => {
      size = someSize
      form = someForm
      assert.deepEqual(await drain(walk(offsetPages(server.url))), records)
      assert.deepEqual(
        await drain(walk(offsetPages(server.url), { start: String(start) })),
        records.slice(start),
      )
    },
  )
  await fc.assert(walks, { numRuns: 30 })
})

test('an empty page is the end, even when the total promises more', async () => {
  await using server = await startAnsweringServer(() => ({ items: [], total: 9, offset: 0, limit: 3 }))
  assert.deepEqual(await drain(walk(offsetPages(server.url))), [])
  assert.equal(server.requests.length, 1)
})

test('pages carry the total', async () => {
  await using server = await startAnsweringServer(() => ({ items: [1], total: 1, offset: 0, limit: 3 }))
  assert.deepEqual(await drain(walk(offsetPages(server.url)).pages()), [{ items: [1], next: null, total: 1 }])
})

test('parameters and fields can have other names', async () => {
  await using server = await startAnsweringServer((_request, _response, url) => {
    const skip = Number(url.searchParams.get('skip'))
    return { rows: [skip], count: 2, skip }
  })
  const source = offsetPages(server.url, {
    limit: 1,
    parameters: { offset: 'skip', limit: 'take' },
    fields: { items: 'rows', total: 'count', offset: 'skip', hasMore: 'more' },
  })
  assert.deepEqual(await drain(walk(source)), [0, 1])
  assert.deepEqual(server.requests, ['/list?skip=0&take=1', '/list?skip=1&take=1'])
})

test('a server that ignores the offset is found out, not walked in circles', async () => {
  await using server = await startAnsweringServer(() => ({ items: [1, 2], total: 9, offset: 0, limit: 2 }))
  const taken: unknown[] = []
  await assert.rejects(
    async () => {
      for await (const item of walk(offsetPages(server.url))) taken.push(item)
    },
    isClientError('unexpected_body', '2'),
  )
  assert.deepEqual(taken, [1, 2])
})

for (const body of [
  { total: 1 },
  { items: [1], total: '1' },
  { items: [1], total: -1 },
  { items: [1], total: 1.5 },
  { items: [1], offset: 'none' },
  { items: [1], has_more: 1 },
]) {
  test(`the body ${JSON.stringify(body)} is refused with a clear error`, async () => {
    await using server = await startAnsweringServer(() => body)
    await assert.rejects(drain(walk(offsetPages(server.url))), isClientError('unexpected_body', null))
  })
}

for (const start of ['', 'abc', '-1', '1.5', '1e3', '99999999999999999999']) {
  test(`the position ${JSON.stringify(start)} is refused without a request`, async () => {
    await using server = await startAnsweringServer(() => ({ items: [] }))
    await assert.rejects(
      drain(walk(offsetPages(server.url), { start })),
      isClientError('invalid_position', start),
    )
    assert.deepEqual(server.requests, [])
  })
}
