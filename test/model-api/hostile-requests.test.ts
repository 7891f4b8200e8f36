import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { InjectOptions } from 'fastify'
import { migrations } from '../../src/store/migrations.ts'
import type { StoreSchema } from '../../src/store/store.ts'
import { portOf, rawConnection, rawExchange } from '../serving/raw-connection.ts'
import { sqlite } from '../store/engines.ts'
import { startModelServer } from './model-server.ts'
import { createWordEngine } from './word-engine.ts'

const store = await sqlite.open<StoreSchema>(migrations)
const engine = createWordEngine()
const models = await startModelServer({ store, engines: { words: engine }, isListening: true })
after(async () => {
  await models[Symbol.asyncDispose]()
  await store[Symbol.asyncDispose]()
})
const key = await models.keyFor('ann')
const port = portOf(models.server.server)
const hello = JSON.stringify({ contents: [{ parts: [{ text: 'hello' }] }] })
const json = { 'content-type': 'application/json' }

interface Row {
  readonly method: NonNullable<InjectOptions['method']>
  readonly url: string
  readonly status: number
  readonly says: string | RegExp
  readonly headers?: Record<string, string>
  readonly payload?: string
}

const noMethod = 'Method not found.'
const noPath = 'there is nothing under this path'
const noModel = /^models\/.* is not found for API version v1beta, or is not supported for generateContent\./
const vertex = '/v1beta1/projects/p/locations/l'

/** What is not there, however it is spelled, is refused in the shape of the API. */
const refused: readonly Row[] = [
  { method: 'POST', url: '/v1beta/models/words:foo', status: 404, says: noMethod },
  { method: 'POST', url: '/v1beta/models/words:', status: 404, says: noMethod },
  { method: 'POST', url: '/v1beta/models/words', status: 404, says: noMethod },
  { method: 'POST', url: '/v1beta/models/words:GenerateContent', status: 404, says: noMethod },
  { method: 'POST', url: '/v1beta/models/words:constructor', status: 404, says: noMethod },
  { method: 'POST', url: '/v1beta/models/words:predictLongRunning', status: 404, says: noMethod },
  {
    method: 'POST',
    url: '/v1beta/models/words:embedContent',
    status: 404,
    says: /not supported for embedContent/,
  },
  { method: 'POST', url: '/v1beta/models/:generateContent', status: 404, says: noModel },
  { method: 'POST', url: '/v1beta/models/a%2Fwords:generateContent', status: 404, says: noModel },
  { method: 'POST', url: '/v1beta/models/%2e%2e%2fwords:generateContent', status: 404, says: noModel },
  { method: 'POST', url: '/v1beta/models/words%00:generateContent', status: 404, says: noModel },
  { method: 'POST', url: '/v1beta/models/WORDS:generateContent', status: 404, says: noModel },
  { method: 'POST', url: '/v1beta/models/__proto__:generateContent', status: 404, says: noModel },
  { method: 'POST', url: '/v1beta/models/a/words:generateContent', status: 404, says: noPath },
  { method: 'POST', url: '/v1beta/models/words:generateContent/', status: 404, says: noPath },
  { method: 'POST', url: '/v1beta//models/words:generateContent', status: 404, says: noPath },
  { method: 'POST', url: '/v1beta/tunedModels/x:generateContent', status: 404, says: noPath },
  { method: 'POST', url: `${vertex}/publishers/google/models/words:foo`, status: 404, says: noMethod },
  { method: 'POST', url: `${vertex}/endpoints/5:generateContent`, status: 404, says: noPath },
  { method: 'GET', url: '/v1beta/models/words/', status: 404, says: noPath },
  { method: 'GET', url: '/v1beta/models/words:generateContent', status: 404, says: /^Model is not found/ },
  { method: 'GET', url: '/v1beta', status: 404, says: noPath },
  { method: 'POST', url: '/v1beta/models', status: 405, says: 'this path takes GET, HEAD' },
  { method: 'DELETE', url: '/v1beta/models', status: 405, says: 'this path takes GET, HEAD' },
  { method: 'PUT', url: '/v1beta/models/words:generateContent', status: 405, says: /takes GET, HEAD, POST/ },
  {
    method: 'POST',
    url: '/v1beta/models/words:generateContent',
    headers: { 'content-type': 'text/plain' },
    status: 400,
    says: 'the body must come with content-type application/json',
  },
]

for (const { method, url, status, says, headers = json, payload = hello } of refused)
  test(`${method} ${url} as ${headers['content-type']} is refused with ${status}`, async () => {
    const isRead = method === 'GET'
    const response = await models.call(key, { method, url, headers, ...(isRead ? {} : { payload }) })
    assert.equal(response.statusCode, status)
    assert.equal(response.headers['content-type'], 'application/json; charset=UTF-8')
    const { error } = response.json()
    assert.equal(error.code, status)
    if (typeof says === 'string') assert.equal(error.message, says)
    else assert.match(error.message, says)
  })

const accepted: readonly Omit<Row, 'status' | 'says'>[] = [
  { method: 'POST', url: '/v1beta/models/words%3AgenerateContent', payload: hello },
  { method: 'POST', url: '/v1beta/models/words:generateContent?alt=sse', payload: hello },
  {
    method: 'POST',
    url: '/v1beta/models/words:generateContent?prettyPrint=false&$alt=json;enum-encoding=int',
    payload: hello,
  },
  { method: 'POST', url: `${vertex}/publishers/google/models/words:generateContent`, payload: hello },
  { method: 'POST', url: '/v1beta1/publishers/google/models/words:generateContent', payload: hello },
  { method: 'GET', url: '/v1beta/models/words', headers: json },
  { method: 'GET', url: '/v1beta/tunedModels', headers: json },
]

for (const { method, url, headers = json, payload } of accepted)
  test(`${method} ${url} is answered with one JSON`, async () => {
    const response = await models.call(key, {
      method,
      url,
      headers,
      ...(payload === undefined ? {} : { payload }),
    })
    assert.equal(response.statusCode, 200, response.body)
    assert.match(String(response.headers['content-type']), /^application\/json/)
    assert.equal(typeof response.json(), 'object')
  })

test('an empty body that calls itself JSON is taken where there is nothing to say', async () => {
  const made = await models.call(key, {
    method: 'POST',
    url: '/v1beta/files',
    headers: json,
    payload: '{"file":{}}',
  })
  const { name } = made.json().file
  for (const headers of [json, { ...json, 'content-length': '0' }]) {
    const removed = await models.call(key, { method: 'DELETE', url: `/v1beta/${name}`, headers })
    assert.notEqual(removed.statusCode, 400, removed.body)
  }
  const nothing = await models.call(key, { method: 'POST', url: '/v1beta/files', headers: json })
  const broken = await models.call(key, { method: 'POST', url: '/v1beta/files', headers: json, payload: '{' })
  assert.deepEqual([nothing.statusCode < 500, broken.statusCode], [true, 400])
})

test('HEAD answers as GET does, without the body', async () => {
  const response = await models.call(key, { method: 'HEAD', url: '/v1beta/models/words' })
  assert.deepEqual([response.statusCode, response.body], [200, ''])
})

test('without a credential nobody finds out which models there are', async () => {
  for (const url of ['/v1beta/models/words:generateContent', '/v1beta/models/nope:generateContent']) {
    const { statusCode } = await models.call('', { method: 'POST', url, headers: json, payload: hello })
    assert.equal(statusCode, 403)
  }
  for (const url of ['/v1beta/models/words', '/v1beta/models/nope', '/v1beta/models'])
    assert.equal((await models.call('', { method: 'GET', url })).statusCode, 403)
})

function raw(lines: readonly string[], body: string): string {
  const head = [...lines, `x-goog-api-key: ${key}`, 'content-type: application/json']
  return `${head.join('\r\n')}\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
}

const line = 'POST /v1beta/models/words:generateContent HTTP/1.1'
const host = `Host: 127.0.0.1:${port}`

test('a body of more than 20 MiB is refused before it is sent, and the connection ends', async () => {
  const head = raw([line, host], '').replace('content-length: 0', `content-length: ${21 * 2 ** 20}`)
  const answer = await rawExchange(port, head)
  assert.match(answer, /^HTTP\/1\.1 400 /)
  assert.match(answer, /at most 20971520 bytes/)
})

test('a body in chunks without an end is cut at 20 MiB', async () => {
  const connection = await rawConnection(port)
  const head = raw([line, host], '').replace('content-length: 0', 'transfer-encoding: chunked')
  connection.send(head)
  const mebibyte = `100000\r\n${'x'.repeat(2 ** 20)}\r\n`
  for (let count = 0; count < 21 && !connection.socket.destroyed; count += 1) connection.send(mebibyte)
  assert.match(await connection.until('at most 20971520 bytes'), /^HTTP\/1\.1 400 /)
  connection.socket.destroy()
})

test('nearly 20 MiB are taken', async () => {
  const long = JSON.stringify({ contents: [{ parts: [{ text: 'x'.repeat(20 * 2 ** 20 - 100) }] }] })
  const payload = {
    method: 'POST',
    url: '/v1beta/models/words:countTokens',
    headers: json,
    payload: long,
  } as const
  assert.deepEqual((await models.call(key, payload)).json(), { totalTokens: 1 })
})

const crowd = '{},'.repeat(300_000)

for (const [url, payload] of [
  ['/v1beta/models/words:countTokens', `{"contents":[${crowd}{}]}`],
  ['/v1beta/models/words:generateContent', `{"contents":[${crowd}{}]}`],
  ['/v1beta/cachedContents', `{"model":"models/words","contents":[${crowd}{}]}`],
  ['/v1beta/files', `{"file":[${crowd}{}]}`],
  // Nobody would know where it is wrong: it was not parsed.
  ['/v1beta/models/words:countTokens', `{"contents":[${crowd}`],
] as const)
  test(`POST ${url} with ${payload.length} characters of objects is refused before it is parsed`, async () => {
    const response = await models.call(key, { method: 'POST', url, headers: json, payload })
    const { code, status, message } = response.json().error
    assert.deepEqual([code, status], [400, 'INVALID_ARGUMENT'])
    assert.equal(message, 'Invalid JSON payload received. It may hold at most 200000 values.')
  })

test('15 MB of inline data are one value', async () => {
  const part = { inlineData: { mimeType: 'image/png', data: 'A'.repeat(15_000_000) } }
  const payload = JSON.stringify({ contents: [{ parts: [part, { text: 'one two' }] }] })
  const url = '/v1beta/models/words:countTokens'
  const response = await models.call(key, { method: 'POST', url, headers: json, payload })
  assert.equal(response.statusCode, 200)
})

test('HTTP/1.0 gets its answer and the end of the connection', async () => {
  const answer = await rawExchange(port, raw([line.replace('1.1', '1.0'), host], hello))
  assert.match(answer, /^HTTP\/1\.1 200 /)
  assert.match(answer, /"text":"hello"/)
})

test('pipelined requests are answered in their order', async () => {
  const stream = line.replace('generate', 'streamGenerate')
  const asked = ['one', 'two', 'three'].map((text, index) =>
    raw([index === 1 ? stream : line, host], JSON.stringify({ contents: [{ parts: [{ text }] }] })),
  )
  const connection = await rawConnection(port)
  connection.send(asked.join(''))
  const answers = await connection.until('"text":"three"')
  connection.socket.destroy()
  assert.ok(answers.indexOf('"one"') < answers.indexOf('"two"'))
  assert.ok(answers.indexOf('"two"') < answers.indexOf('"three"'))
  assert.equal(answers.match(/HTTP\/1\.1 200/g)?.length, 3)
})

test('a body that ends too early never reaches the engine', async () => {
  const seen = engine.seen.length
  const decided = models.decisions.length
  const connection = await rawConnection(port)
  connection.send(raw([line, host], hello).slice(0, -5))
  connection.socket.end()
  const answer = await connection.closed()
  assert.doesNotMatch(answer, /HTTP\/1\.1 200/)
  while (models.decisions.length === decided) await new Promise(setImmediate)
  assert.notEqual(models.decisions.at(-1)?.reason, 'ok')
  assert.equal(engine.seen.length, seen)
})

test('two answers cannot be made of one request: a length and chunks together are refused', async () => {
  const both = raw([line, host, 'transfer-encoding: chunked'], hello)
  assert.match(await rawExchange(port, both), /^HTTP\/1\.1 400 /)
})
