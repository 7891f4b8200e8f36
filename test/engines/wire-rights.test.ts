import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createVertexEngine } from '../../src/engines/vertex-engine.ts'
import { ask } from './wire-calls.ts'
import { callModel, startModelGateway, streamPath, wireModel } from './wire-gateway.ts'
import { plainAnswer, sendError, sendPlain, startWireServer } from './wire-upstream-server.ts'

const file = '{"contents":[{"parts":[{"fileData":{"fileUri":"gs://internal/pay.csv"}}]}]}'
const cache = '{"contents":[],"cached_content":"projects/p/locations/l/cachedContents/1"}'
const retrieval = '{"contents":[],"tools":[{"retrieval":{"vertexRagStore":{}}}]}'

const routing = '{"contents":[],"generationConfig":{"routingConfig":{"manualMode":{"modelName":"dear"}}}}'

const refused = [
  ['fileData', '/v1beta/models/front:generateContent', file],
  ['cached_content', streamPath, cache],
  ['tools.retrieval', '/v1beta/models/front:streamGenerateContent', retrieval],
  ['routingConfig', '/v1beta/models/front:generateContent', routing],
  ['fileData', '/v1beta/models/front:countTokens', `{"generateContentRequest":${file}}`],
  ['fileData', '/v1beta/models/front:embedContent', '{"content":{"parts":[{"fileData":{}}]}}'],
  [
    'tools.retrieval',
    '/v1beta1/projects/p/locations/l/publishers/google/models/front:generateContent',
    retrieval,
  ],
] as const

test('what would be read with the rights of the gateway is refused by name, and nobody is asked', async (t) => {
  const server = await startWireServer(t, sendPlain)
  const gateway = await startModelGateway(t, {
    models: [
      wireModel(server.origin, { fallbacks: ['back'] }),
      wireModel(server.origin, { name: 'back', allow: ['files', 'caches', 'retrieval', 'otherModels'] }),
    ],
  })
  for (const [index, [field, path, body]] of refused.entries()) {
    const { status, text } = await callModel(gateway, { path, body })
    const [answer] = [JSON.parse(text)].flat()
    assert.equal(status, 403, path)
    assert.equal(answer.error.status, 'PERMISSION_DENIED')
    assert.match(answer.error.message, new RegExp(`^${field} is not allowed for the model front`))
    const { outcome, reason, status: told } = await gateway.decision(index)
    assert.deepEqual([outcome, reason, told], ['deny', 'upstream_right', 403])
  }
  assert.equal(server.requests.length, 0)
})

test('what the configuration allows goes on byte for byte', async (t) => {
  const server = await startWireServer(t, sendPlain)
  const gateway = await startModelGateway(t, {
    models: [wireModel(server.origin, { allow: ['files', 'caches', 'retrieval', 'otherModels'] })],
  })
  for (const [, path, plain] of refused) {
    const body = Buffer.from(plain.replace('{', '{ "new\\u0046ield" : [ 1e0, "\u00e9" ] ,'))
    assert.equal((await callModel(gateway, { path, body })).status, 200)
    assert.deepEqual(server.requests.at(-1)?.body, body)
  }
})

test('a body that names another model than the path, or is no JSON, is refused with 400, and nobody is asked', async (t) => {
  const server = await startWireServer(t, sendPlain)
  const gateway = await startModelGateway(t, { models: [wireModel(server.origin)] })
  const calls = [
    ['countTokens', '{"generateContentRequest":{"model":"models/dear","contents":[]}}', /^model must be/],
    ['batchEmbedContents', '{"requests":[{"model":"models/dear"}]}', /^model must be/],
    ['generateContent', '{"contents":[],}', /^Invalid JSON payload received\. It is no JSON at/],
  ] as const
  for (const [operation, body, message] of calls) {
    const { status, text } = await callModel(gateway, { path: `/v1beta/models/front:${operation}`, body })
    const { error } = JSON.parse(text)
    assert.deepEqual([status, error.status], [400, 'INVALID_ARGUMENT'])
    assert.match(error.message, message)
  }
  assert.equal(server.requests.length, 0)
  const own = '{"generateContentRequest":{"model":"models/front","contents":[]}}'
  assert.equal(
    (await callModel(gateway, { path: '/v1beta/models/front:countTokens', body: own })).status,
    200,
  )
})

test('a model is asked for by whatever name the caller knows it, and the upstream by its own', async (t) => {
  const bad = await startWireServer(t, (exchange) => sendError(exchange, 503))
  const good = await startWireServer(t, sendPlain)
  const gateway = await startModelGateway(t, {
    models: [
      wireModel(bad.origin, { model: 'gone', retries: 0, fallbacks: ['back'] }),
      wireModel(good.origin, { name: 'back' }),
    ],
    aliases: { 'emb-*': 'back' },
  })
  const inside = (name: string): string =>
    `{"requests":[{"content":{"parts":[{"text":"ü"}]},"model":"models/${name}"}]}`
  for (const name of ['emb-1', 'back', 'front']) {
    const path = `/v1beta/models/${name}:batchEmbedContents`
    assert.equal((await callModel(gateway, { path, body: inside(name) })).status, 200, name)
    const asked = good.requests.at(-1)
    assert.deepEqual(
      [asked?.path, String(asked?.body)],
      ['/v1beta/models/up:batchEmbedContents', inside('up')],
    )
  }
  assert.equal(String(bad.requests[0]?.body), inside('gone'))
  const path = '/v1beta/models/emb-1:batchEmbedContents'
  for (const other of ['emb-2', 'front', 'gone'])
    assert.equal((await callModel(gateway, { path, body: inside(other) })).status, 400)
  assert.equal(good.requests.length, 3)
})

test('a model that stands in for another one has rights of its own', async (t) => {
  const bad = await startWireServer(t, (exchange) => sendError(exchange, 503))
  const good = await startWireServer(t, sendPlain)
  const gateway = await startModelGateway(t, {
    models: [
      wireModel(bad.origin, { retries: 0, allow: ['files'], fallbacks: ['back'] }),
      wireModel(good.origin, { name: 'back' }),
    ],
  })
  // It refuses, and is passed over: the caller learns of the outage.
  assert.equal((await callModel(gateway, { body: file })).status, 503)
  assert.deepEqual([bad.requests.length, good.requests.length], [1, 0])
})

test('Vertex AI is asked for what is allowed, and no token is fetched for the rest', async (t) => {
  const server = await startWireServer(t, sendPlain)
  let tokens = 0
  const engine = createVertexEngine({
    name: 'front',
    model: 'up',
    project: 'p',
    location: 'global',
    baseUrl: server.origin,
    connectSeconds: 1,
    firstByteSeconds: 5,
    idleSeconds: 5,
    retries: 0,
    allow: ['caches'],
    accessToken: async () => {
      tokens += 1
      return 'ya29.ours'
    },
  })
  t.after(engine.close)
  const { failure, ends } = await ask(engine, { body: Buffer.from(file) })
  assert.deepEqual([failure?.code, failure?.field, ends, tokens], ['forbidden', 'fileData', 1, 0])
  assert.equal((await ask(engine, { body: Buffer.from(cache) })).text, plainAnswer)
  assert.deepEqual([tokens, server.requests[0]?.body.toString()], [1, cache])
})
