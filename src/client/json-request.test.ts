import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type AnsweringServer, startAnsweringServer } from '../../test/client/answering-server.ts'
import { isClientError } from '../../test/client/client-error-check.ts'
import { drain } from '../../test/client/cut-list.ts'
import { ClientError } from './client-error.ts'
import { cursorPages } from './cursor-pages.ts'
import type { HttpOptions } from './json-request.ts'
import { walk } from './walk.ts'

const token = 'eyJhbGciOiJFUzI1NiJ9.secret-token'
const cursor = 'AQIDBAUGBwgJCgsMDQ4P'
const last = { items: ['last'], next_cursor: null, has_more: false }

test('a problem+json answer gives its status, code and detail, and the position', async () => {
  const problem = {
    title: 'Bad Request',
    status: 400,
    code: 'cursor_expired',
    detail: 'start from the first page',
  }
  const error = await failureOf(problem, 400)
  assert.deepEqual([error.status, error.code, error.position], [400, 'cursor_expired', cursor])
  assert.match(error.message, /^GET http:\/\/127\.0\.0\.1:\d+\/list answered 400: start from the first page$/)
})

test("Google's error shape gives its status word as the code", async () => {
  const error = await failureOf(
    { error: { code: 403, message: 'no such scope', status: 'PERMISSION_DENIED' } },
    403,
  )
  assert.deepEqual([error.status, error.code], [403, 'PERMISSION_DENIED'])
  assert.match(error.message, /answered 403: no such scope$/)
})

test("OAuth's error shape gives its error word as the code", async () => {
  const error = await failureOf({ error: 'invalid_token', error_description: 'it is over' }, 401)
  assert.deepEqual([error.status, error.code], [401, 'invalid_token'])
  assert.match(error.message, /answered 401: it is over$/)
})

for (const body of [
  '<html>',
  '',
  'null',
  '[]',
  '{"code":7,"detail":{}}',
  '{"code":"two words"}',
  '{"error":null}',
]) {
  test(`an error answer with the body ${JSON.stringify(body)} still gives its status`, async () => {
    const error = await failureOf(body, 502)
    assert.deepEqual([error.status, error.code], [502, 'http_502'])
    assert.match(error.message, /answered 502$/)
  })
}

test('a server that quotes the request does not bring a token, a key or a cursor into the error', async () => {
  const quote = `bad Bearer ${token} and ${cursor} and key-0123456789\r\nand ${token}`
  for (const body of [{ code: token, detail: quote }, { error: { status: cursor, message: quote } }]) {
    const error = await failureOf(body, 400, '?key=key-0123456789')
    assert.equal(error.code, 'http_400')
    assert.match(error.message, /: bad \[redacted\] and \[redacted\] and \[redacted\] and \[redacted\]$/)
    assert.doesNotMatch(
      `${error.stack} ${JSON.stringify(error.cause)}`,
      new RegExp(`${token}|${cursor}|key-0123`),
    )
  }
})

test('an error message of any length is cut', async () => {
  const error = await failureOf({ detail: 'x'.repeat(100_000) }, 400)
  assert.ok(error.message.length < 600)
})

test('an answer that is not JSON is named by its media type', async () => {
  await using server = await startAnsweringServer((_request, response) => {
    response.setHeader('content-type', 'text/html; charset=utf-8').end('<html>sign in</html>')
  })
  await assert.rejects(drain(walk(cursorPages(server.url))), (error: Error) => {
    assert.match(error.message, /answered text\/html that is not JSON$/)
    return isClientError('not_json', null)(error)
  })
})

test('an answer longer than maxBytes is refused while it comes, whatever its length says', async () => {
  await using server = await startAnsweringServer((_request, response) => {
    response.setHeader('content-type', 'application/json').write('{"items":["')
    const more = (): unknown => response.write('x'.repeat(1000)) && setImmediate(more)
    response.on('drain', more)
    more()
  })
  const walking = walk(cursorPages(server.url, { maxBytes: 10_000 }))
  await assert.rejects(drain(walking), isClientError('too_large', null))
})

test('an answer of exactly maxBytes is read, its multi-byte characters too', async () => {
  const body = { items: ['žluťoučký 🐎'], next_cursor: null, has_more: false }
  await using server = await startAnsweringServer(() => body)
  const maxBytes = Buffer.byteLength(JSON.stringify(body))
  assert.deepEqual(await drain(walk(cursorPages(server.url, { maxBytes }))), body.items)
  const walking = walk(cursorPages(server.url, { maxBytes: maxBytes - 1 }))
  await assert.rejects(drain(walking), isClientError('too_large', null))
})

test('a character that is cut in two on the way is read whole', async () => {
  const bytes = Buffer.from('{"items":["🐎"],"next_cursor":null,"has_more":false}')
  const fetch: HttpOptions['fetch'] = async () =>
    new Response(ReadableStream.from([bytes.subarray(0, 12), bytes.subarray(12)]))
  assert.deepEqual(await drain(walk(cursorPages('https://lists.example/', { fetch }))), ['🐎'])
})

test('a source that is used by itself ends with the reason of its signal', async () => {
  const stop = new AbortController()
  const reason = new Error('enough')
  await using server = await startAnsweringServer(() => stop.abort(reason))
  await assert.rejects(cursorPages(server.url)(null, stop.signal), reason)
})

test('a server that cannot be reached, or breaks off, is a network error', async () => {
  await using server = await startAnsweringServer((_request, response) => {
    response.writeHead(200, { 'content-length': '1000' }).write('{"items":')
    response.destroy()
  })
  await assert.rejects(drain(walk(cursorPages(server.url))), isClientError('network', null))
  await server[Symbol.asyncDispose]()
  await assert.rejects(drain(walk(cursorPages(server.url))), isClientError('network', null))
})

test('a redirect is not followed, so no header goes where it points', async () => {
  await using elsewhere = await startAnsweringServer(() => last)
  await using server = await startAnsweringServer((_request, response) => {
    response.writeHead(307, { location: elsewhere.url }).end()
  })
  const walking = walk(cursorPages(server.url, { headers: { 'x-goog-api-key': token } }))
  await assert.rejects(drain(walking), isClientError('redirected', null))
  assert.deepEqual(elsewhere.requests, [])
})

test('headers are sent; a function is asked anew for each page', async () => {
  const seen: unknown[] = []
  await using server = await startAnsweringServer((request, _response, url) => {
    seen.push([request.headers.authorization, request.headers.accept])
    return url.searchParams.has('cursor') ? last : { items: [], next_cursor: cursor, has_more: true }
  })
  let count = 0
  const headers = async (): Promise<Record<string, string>> => ({ authorization: `Bearer ${++count}` })
  await drain(walk(cursorPages(server.url, { headers })))
  await drain(
    walk(cursorPages(server.url, { headers: { Accept: 'application/vnd.x+json' } }), { start: cursor }),
  )
  assert.deepEqual(seen, [
    ['Bearer 1', 'application/json'],
    ['Bearer 2', 'application/json'],
    [undefined, 'application/vnd.x+json'],
  ])
})

test('the injected fetch is the one that is called', async () => {
  const urls: string[] = []
  const fetch: HttpOptions['fetch'] = async (input) => {
    urls.push(input instanceof Request ? input.url : String(input))
    return Response.json(last)
  }
  assert.deepEqual(await drain(walk(cursorPages('https://lists.example/a?b=c', { fetch, limit: 5 }))), [
    'last',
  ])
  assert.deepEqual(urls, ['https://lists.example/a?b=c&limit=5'])
})

test('a header value that HTTP does not allow is refused without being quoted', async () => {
  const walking = walk(
    cursorPages('http://127.0.0.1:9', { headers: { authorization: `Bearer ${token}\n\0` } }),
  )
  await assert.rejects(drain(walking), (error: Error) => {
    assert.equal(error.cause, undefined)
    assert.doesNotMatch(String(error.stack), /secret-token/)
    return isClientError('invalid_option', null)(error)
  })
})

test('a URL that is relative or holds credentials, and a senseless maxBytes, are refused at once', () => {
  for (const url of ['/api/v1/events', '', 'https://user:hunter22@lists.example/'])
    assert.throws(
      () => cursorPages(url),
      (error: Error) => isClientError('invalid_option')(error) && !error.message.includes('hunter22'),
    )
  for (const maxBytes of [0, -1, 1.5, Number.NaN])
    assert.throws(() => cursorPages('http://127.0.0.1', { maxBytes }), isClientError('invalid_option'))
})

/** What the second page of a list fails with, its request full of secrets. */
async function failureOf(body: unknown, status: number, query = ''): Promise<ClientError> {
  await using server: AnsweringServer = await startAnsweringServer((_request, response, url) => {
    if (!url.searchParams.has('cursor')) return { items: [], next_cursor: cursor, has_more: true }
    response.writeHead(status).end(typeof body === 'string' ? body : JSON.stringify(body))
    return undefined
  })
  const source = cursorPages(`${server.url}${query}`, { headers: { Authorization: `Bearer ${token}` } })
  try {
    await drain(walk(source))
  } catch (error) {
    if (error instanceof ClientError) return error
    throw error
  }
  throw new Error('the walk should have failed')
}
