import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startAnsweringServer } from '../../test/client/answering-server.ts'
import { isClientError } from '../../test/client/client-error-check.ts'
import { drain } from '../../test/client/cut-list.ts'
import { pageTokenPages } from './page-token-pages.ts'
import { walk } from './walk.ts'

for (const [spelling, end] of [
  ['absent', {}],
  ['null', { nextPageToken: null }],
  ['""', { nextPageToken: '' }],
] as const) {
  test(`a nextPageToken that is ${spelling} is the end`, async () => {
    await using server = await startAnsweringServer((_request, _response, url) =>
      url.searchParams.get('pageToken') === 'T/2'
        ? { items: [2], ...end }
        : { items: [1], nextPageToken: 'T/2' },
    )
    assert.deepEqual(await drain(walk(pageTokenPages(server.url, { pageSize: 1 }))), [1, 2])
    assert.deepEqual(server.requests, ['/list?pageSize=1', '/list?pageToken=T%2F2&pageSize=1'])
  })
}

test('parameters and the list can have other names', async () => {
  await using server = await startAnsweringServer((_request, _response, url) =>
    url.searchParams.has('page_token') ? { models: ['b'] } : { models: ['a'], next_page_token: 'T2' },
  )
  const source = pageTokenPages(server.url, {
    pageSize: 1,
    parameters: { pageToken: 'page_token', pageSize: 'page_size' },
    fields: { items: 'models', next: 'next_page_token' },
  })
  assert.deepEqual(await drain(walk(source)), ['a', 'b'])
  assert.deepEqual(server.requests, ['/list?page_size=1', '/list?page_token=T2&page_size=1'])
})

test('a list that is left out is an empty page, and the walk goes on behind it', async () => {
  await using server = await startAnsweringServer((_request, _response, url) =>
    url.searchParams.has('pageToken') ? { items: [1] } : { nextPageToken: 'T2' },
  )
  assert.deepEqual(await drain(walk(pageTokenPages(server.url))), [1])
})

test('a list under another name is a wrong setting, not an empty page', async () => {
  await using server = await startAnsweringServer(() => ({ models: ['a'] }))
  await assert.rejects(drain(walk(pageTokenPages(server.url))), /has a list "models" but no "items"/)
})

for (const body of [{ items: 5 }, { items: null }, { items: [], nextPageToken: 7 }, [], 7]) {
  test(`the body ${JSON.stringify(body)} is refused with a clear error`, async () => {
    await using server = await startAnsweringServer(() => body)
    await assert.rejects(drain(walk(pageTokenPages(server.url))), isClientError('unexpected_body', null))
  })
}
