import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, beforeEach, test } from 'node:test'
import { type RecordingApi, startRecordingApi } from '../../test/mcp/recording-api.ts'
import { callTool, textOf } from '../../test/mcp/tool-call.ts'
import { Failure } from '../failure/failure.ts'
import { createLog } from '../log/log.ts'
import { type OpenApiSourceOptions, openApiSource } from './source-openapi.ts'
import type { ToolSource } from './tool-source.ts'

const document = `
openapi: 3.1.0
info: { title: Shop, version: "1" }
paths:
  /orders/{id}:
    parameters:
      - { name: id, in: path, required: true, schema: { type: string } }
    get:
      operationId: getOrder
      summary: One order
      parameters:
        - { name: expand, in: query, schema: { type: array, items: { type: string } } }
        - { name: id, in: query, schema: { type: string } }
        - { name: X-Trace, in: header, schema: { type: string } }
        - { name: Authorization, in: header, schema: { type: string } }
        - { name: seen, in: cookie, schema: { type: string } }
    delete: { operationId: orders/delete }
  /files/{name}{kind}:
    get:
      operationId: getFile
      parameters:
        - { name: name, in: path, required: true, schema: { type: string } }
        - { name: kind, in: path, required: true, schema: { type: string } }
  /orders:
    post:
      operationId: createOrder
      requestBody:
        required: true
        content: { application/json: { schema: { $ref: "#/components/schemas/Order" } } }
    get: { summary: has no operationId }
  /export:
    get:
      operationId: export
      parameters: [{ name: f, in: query, style: deepObject, schema: { type: object } }]
components:
  schemas:
    Order:
      type: object
      required: [item]
      properties:
        item: { type: string }
        parent: { $ref: "#/components/schemas/Order" }
`

let api: RecordingApi
let directory: string
let source: ToolSource
const log = createLog({ level: 'silent' })

async function open(options: Partial<OpenApiSourceOptions> = {}): Promise<ToolSource> {
  return openApiSource(
    { name: 'shop', spec: 'shop.yaml', baseUrl: `${api.url}/v2/`, allowPrivate: true, ...options },
    { log, directory, outputLimitBytes: 1000 },
  )
}

before(async () => {
  api = await startRecordingApi()
  directory = await mkdtemp(join(tmpdir(), 'postern-openapi-'))
  await writeFile(join(directory, 'shop.yaml'), document)
  source = await open({ credential: 'own-credential' })
})
beforeEach(() => {
  api.requests.length = 0
  api.answer = { status: 200, headers: { 'content-type': 'application/json' }, body: '{"ok":true}' }
})
after(async () => {
  await source.close()
  await api.close()
  await rm(directory, { recursive: true })
})

test('there is one tool for each operation that has an id and can be sent', () => {
  assert.deepEqual(
    source.tools().map(({ name }) => name),
    ['shop_getOrder', 'shop_orders_delete', 'shop_getFile', 'shop_createOrder'],
  )
})

test('the input schema has every parameter once, the body, and no reference', () => {
  const schemas = Object.fromEntries(source.tools().map(({ name, listing }) => [name, listing.inputSchema]))
  assert.deepEqual(schemas.shop_getOrder, {
    type: 'object',
    properties: {
      id: { type: 'string' },
      expand: { type: 'array', items: { type: 'string' } },
      id_query: { type: 'string' },
      'X-Trace': { type: 'string' },
      seen: { type: 'string' },
    },
    required: ['id'],
    additionalProperties: false,
  })
  assert.deepEqual(schemas.shop_createOrder, {
    type: 'object',
    properties: {
      body: { type: 'object', required: ['item'], properties: { item: { type: 'string' }, parent: {} } },
    },
    required: ['body'],
    additionalProperties: false,
  })
})

test('a call arrives as the operation says, with the credential of the source', async () => {
  const input = { id: 'a b&c', expand: ['x', 'y&z'], id_query: 'é', 'X-Trace': 't 1', seen: 'no; way=1' }
  const result = await callTool(source.tools(), 'shop_getOrder', { input })
  const [request] = api.requests
  assert.equal(request?.line, 'GET /v2/orders/a%20b%26c?expand=x&expand=y%26z&id=%C3%A9 HTTP/1.1')
  assert.equal(request?.headers.get('x-trace'), 't 1')
  assert.equal(request?.headers.get('cookie'), 'seen=no%3B%20way%3D1')
  assert.equal(request?.headers.get('authorization'), 'Bearer own-credential')
  assert.deepEqual(result, {
    content: [{ type: 'text', text: '{"ok":true}' }],
    structuredContent: { ok: true },
  })
})

test('a body is sent as JSON, once it fits its schema', async () => {
  const refused = await callTool(source.tools(), 'shop_createOrder', { input: { body: { item: 1 } } })
  assert.equal(refused.isError, true)
  assert.match(textOf(refused), /body\.item must be string/)
  await callTool(source.tools(), 'shop_createOrder', { input: { body: { item: 'tea' } } })
  assert.deepEqual(
    api.requests.map(({ line, body }) => [line, body]),
    [['POST /v2/orders HTTP/1.1', '{"item":"tea"}']],
  )
  assert.equal(api.requests[0]?.headers.get('content-type'), 'application/json')
})

test('a credential goes into the header that the configuration names', async () => {
  const other = await open({ credential: 'key-1', header: 'X-Api-Key' })
  await callTool(other.tools(), 'shop_getOrder', { input: { id: '1' } })
  assert.equal(api.requests[0]?.headers.get('x-api-key'), 'key-1')
  assert.equal(api.requests[0]?.headers.has('authorization'), false)
  await other.close()
})

/** The class of CVE-2026-32871 and CVE-2026-29791: a path parameter that leaves its segment. */
const refusedInPath = [
  '../admin',
  '..',
  '.',
  '..;',
  '..;/admin',
  '..\\admin',
  '%2e%2e',
  '%2e%2e%2fadmin',
  '..%2fadmin',
  '..%5cadmin',
  '%252e%252e%252fadmin',
  '..%c0%afadmin',
  '/etc/passwd',
  '//evil.example/',
  '\\\\evil.example\\',
  'https://evil.example/',
  'a/../../admin',
  'a\r\nX-Injected: 1',
  'a\nb',
  'a\0b',
  'a\u0085b',
  '\ud800',
  '',
]

for (const id of refusedInPath) {
  test(`nothing is sent for the path value ${JSON.stringify(id)}`, async () => {
    const result = await callTool(source.tools(), 'shop_getOrder', { input: { id } })
    assert.equal(result.isError, true)
    assert.equal(api.requests.length, 0)
  })
}

const dataInPath: readonly (readonly [string, string])[] = [
  ['?admin=1', '%3Fadmin%3D1'],
  ['#x', '%23x'],
  ['a;b=c', 'a%3Bb%3Dc'],
  ['user:pass@evil.example', 'user%3Apass%40evil.example'],
  ['@evil.example', '%40evil.example'],
  ['...', '...'],
  ['a..b', 'a..b'],
  ['100%', '100%25'],
  ['／..／', '%EF%BC%8F..%EF%BC%8F'],
  ['․․', '%E2%80%A4%E2%80%A4'],
  ['{id}', '%7Bid%7D'],
  ["'()*!", '%27%28%29%2A%21'],
]

for (const [id, sent] of dataInPath) {
  test(`the path value ${JSON.stringify(id)} arrives as data`, async () => {
    await callTool(source.tools(), 'shop_getOrder', { input: { id } })
    assert.equal(api.requests[0]?.line, `GET /v2/orders/${sent} HTTP/1.1`)
    assert.equal(decodeURIComponent(sent), id)
  })
}

test('two harmless values cannot make a dot segment together', async () => {
  const result = await callTool(source.tools(), 'shop_getFile', { input: { name: '.', kind: '.' } })
  assert.equal(result.isError, true)
  assert.equal(api.requests.length, 0)
})

for (const value of ['a\r\nX-Injected: 1', 'a\nb', 'a\0b', '\u2028', 'ünï']) {
  test(`nothing is sent for the header value ${JSON.stringify(value)}`, async () => {
    const result = await callTool(source.tools(), 'shop_getOrder', { input: { id: '1', 'X-Trace': value } })
    assert.equal(result.isError, true)
    assert.equal(api.requests.length, 0)
  })
}

test('hostile query and cookie values stay inside their value', async () => {
  const hostile = '1&admin=1#x\r\nX-Injected: 1;a=b'
  await callTool(source.tools(), 'shop_getOrder', { input: { id: '1', id_query: hostile, seen: hostile } })
  const [request] = api.requests
  const encoded = '1%26admin%3D1%23x%0D%0AX-Injected%3A%201%3Ba%3Db'
  assert.equal(request?.line, `GET /v2/orders/1?id=${encoded} HTTP/1.1`)
  assert.equal(request?.headers.get('cookie'), `seen=${encoded}`)
  assert.equal(request?.headers.has('x-injected'), false)
})

test('a parameter of the document cannot replace the credential', async () => {
  const result = await callTool(source.tools(), 'shop_getOrder', {
    input: { id: '1', Authorization: 'Bearer x' },
  })
  assert.equal(result.isError, true)
  assert.equal(api.requests.length, 0)
})

test('a redirect is not followed', async () => {
  api.answer = { status: 302, headers: { location: `${api.url}/v2/orders/2` } }
  const result = await callTool(source.tools(), 'shop_getOrder', { input: { id: '1' } })
  assert.equal(result.isError, true)
  assert.equal(api.requests.length, 1)
})

test('what the API says of our own credential is not passed on', async () => {
  api.answer = { status: 401, headers: { 'content-type': 'text/plain' }, body: 'bad key our-api-key' }
  const result = await callTool(source.tools(), 'shop_getOrder', { input: { id: '1' } })
  assert.equal(textOf(result), 'the API does not accept the credential of this server (401)')
})

test('what the API says of a bad request is passed on, what it says of its own failure is not', async () => {
  api.answer = { status: 404, headers: { 'content-type': 'text/plain' }, body: 'no such order' }
  const refused = await callTool(source.tools(), 'shop_getOrder', { input: { id: '1' } })
  api.answer = { status: 500, headers: { 'content-type': 'text/plain' }, body: 'at /srv/app/db.js:1' }
  const failed = await callTool(source.tools(), 'shop_getOrder', { input: { id: '1' } })
  assert.equal(textOf(refused), 'the API refused the request (404): no such order')
  assert.equal(textOf(failed), 'the API failed (500)')
  assert.deepEqual([refused.isError, failed.isError], [true, true])
})

test('an answer past the limit is an error, and is not read to its end', async () => {
  api.answer = { status: 200, headers: { 'content-type': 'text/plain' }, body: 'x'.repeat(1001) }
  const result = await callTool(source.tools(), 'shop_getOrder', { input: { id: '1' } })
  assert.equal(textOf(result), 'the answer of the API is larger than 1000 bytes')
})

test('an image is passed on as an image, an empty answer as a word', async () => {
  api.answer = { status: 200, headers: { 'content-type': 'image/png' }, body: 'png' }
  const image = await callTool(source.tools(), 'shop_getOrder', { input: { id: '1' } })
  api.answer = { status: 204 }
  const nothing = await callTool(source.tools(), 'shop_orders_delete', { input: { id: '1' } })
  assert.deepEqual(image.content, [{ type: 'image', mimeType: 'image/png', data: 'cG5n' }])
  assert.equal(textOf(nothing), 'done (204)')
})

test('a call that is given up is given up at the API as well', async () => {
  const signal = AbortSignal.abort()
  await assert.rejects(callTool(source.tools(), 'shop_getOrder', { input: { id: '1' }, signal }))
})

test('an API that is away is an error in words, without address or stack', async () => {
  const other = await open({ baseUrl: 'http://127.0.0.1:1' })
  const result = await callTool(other.tools(), 'shop_getOrder', { input: { id: '1' } })
  assert.deepEqual(result, {
    content: [{ type: 'text', text: 'shop cannot be reached at the moment; try again later' }],
    isError: true,
  })
  await other.close()
})

const misconfigured: readonly (readonly [string, Partial<OpenApiSourceOptions>, RegExp])[] = [
  ['a private address', { allowPrivate: false, baseUrl: 'https://10.0.0.1' }, /private or reserved/],
  ['plain http', { allowPrivate: false, baseUrl: 'http://shop.example' }, /must use https/],
  ['a query', { baseUrl: 'http://127.0.0.1/?a=1' }, /must not have a query/],
  ['a spec that is a URL', { spec: 'https://shop.example/openapi.json' }, /must be a file/],
  ['a spec that does not exist', { spec: 'none.yaml' }, /cannot be read/],
]

for (const [what, options, message] of misconfigured) {
  test(`a source does not open with ${what}`, async () => {
    await assert.rejects(open(options), (error: unknown) => {
      assert.ok(error instanceof Failure)
      assert.equal(error.code, 'misconfigured')
      assert.match(error.message, message)
      return true
    })
  })
}

test('operations that would share a name are refused', async () => {
  const paths = { '/a': { get: { operationId: 'a b' } }, '/b': { get: { operationId: 'a/b' } } }
  await writeFile(join(directory, 'twice.json'), JSON.stringify({ openapi: '3.0.3', paths }))
  await assert.rejects(open({ spec: 'twice.json' }), /shop_a_b/)
})
