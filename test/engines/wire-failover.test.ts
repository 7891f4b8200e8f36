import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startOpenaiServer } from '../openai-server/openai-server.ts'
import { callModel, openCall, startModelGateway, streamPath, wireModel } from './wire-gateway.ts'
import {
  event,
  openStream,
  plainAnswer,
  sendError,
  sendPlain,
  startWireServer,
  type WireExchange,
} from './wire-upstream-server.ts'

const request = JSON.stringify({ contents: [{ role: 'user', parts: [{ text: 'Hi' }] }] })

const faults: readonly (readonly [string, (exchange: WireExchange) => void])[] = [
  ['answers 503', (exchange) => sendError(exchange, 503)],
  ['answers 429', (exchange) => sendError(exchange, 429)],
  ['refuses our key', (exchange) => sendError(exchange, 401)],
  [
    'answers with HTML',
    ({ response }) => response.writeHead(200, { 'content-type': 'text/html' }).end('<p>'),
  ],
  ['breaks', ({ response }) => response.socket?.resetAndDestroy()],
  ['hangs', () => undefined],
  ['begins a 503 and hangs', ({ response }) => response.writeHead(503).flushHeaders()],
]
for (const [what, serve] of faults) {
  test(`when an upstream ${what}, another one answers, once and with one decision`, async (t) => {
    const bad = await startWireServer(t, serve)
    const good = await startWireServer(t, sendPlain)
    const gateway = await startModelGateway(t, {
      models: [
        wireModel(bad.origin, { retries: 0, fallbacks: ['back'], timeouts: { firstByteSeconds: 1 } }),
        wireModel(good.origin, { name: 'back' }),
      ],
    })
    const { status, text } = await callModel(gateway)
    assert.deepEqual([status, text], [200, plainAnswer])
    assert.deepEqual([bad.requests.length, good.requests.length], [1, 1])
    const { tokensIn, tokensOut } = await gateway.decision()
    assert.deepEqual([tokensIn, tokensOut, gateway.decisions.length], [7, 8, 1])
    assert.ok(gateway.lines.some(({ msg }) => msg === 'a model did not answer; another one is asked'))
  })
}

for (const status of [400, 404]) {
  test(`a ${status} is about the request, so no other upstream is asked`, async (t) => {
    const first = await startWireServer(t, (exchange) => sendError(exchange, status))
    const second = await startWireServer(t, sendPlain)
    const gateway = await startModelGateway(t, {
      models: [wireModel(first.origin, { fallbacks: ['back'] }), wireModel(second.origin, { name: 'back' })],
    })
    assert.equal((await callModel(gateway)).status, status)
    assert.equal(second.requests.length, 0)
  })
}

test('after the first byte no other upstream is asked', async (t) => {
  const first = await startWireServer(t, (exchange) =>
    openStream(exchange).write(event('one'), () => exchange.response.socket?.resetAndDestroy()),
  )
  const second = await startWireServer(t, sendPlain)
  const gateway = await startModelGateway(t, {
    models: [wireModel(first.origin, { fallbacks: ['back'] }), wireModel(second.origin, { name: 'back' })],
  })
  const { text } = await callModel(gateway, { path: streamPath })
  assert.match(text, /"one".*"error"/s)
  assert.equal(second.requests.length, 0)
})

test('the last answer stands, whatever it is', async (t) => {
  const first = await startWireServer(t, (exchange) => sendError(exchange, 503))
  const second = await startWireServer(t, (exchange) => sendError(exchange, 500))
  const gateway = await startModelGateway(t, {
    models: [
      wireModel(first.origin, { retries: 1, fallbacks: ['back'] }),
      wireModel(second.origin, { name: 'back', retries: 0 }),
    ],
  })
  const { status, text } = await callModel(gateway)
  assert.equal(status, 500)
  assert.match(text, /it is a 500/)
  assert.deepEqual([first.requests.length, second.requests.length, gateway.decisions.length], [2, 1, 1])
})

test('an engine of another kind stands in for an upstream, and the other way round', async (t) => {
  const openai = await startOpenaiServer()
  t.after(() => openai[Symbol.asyncDispose]())
  const bad = await startWireServer(t, (exchange) => sendError(exchange, 503))
  const good = await startWireServer(t, (exchange) => openStream(exchange).end(event('wire')))
  const house = { engine: 'openai', dialect: { extensions: true } }
  const gateway = await startModelGateway(t, {
    models: [
      wireModel(bad.origin, { name: 'to-pieces', retries: 0, fallbacks: ['pieces'] }),
      { ...house, name: 'pieces', baseUrl: `${openai.origin}/vllm/v1`, model: 'echo' },
      { ...house, name: 'to-wire', baseUrl: `${openai.origin}/vllm/v1`, model: '503', fallbacks: ['wire'] },
      wireModel(good.origin, { name: 'wire' }),
    ],
  })
  const stream = ':streamGenerateContent?alt=sse'
  const first = await callModel(gateway, { path: `/v1beta/models/to-pieces${stream}`, body: request })
  assert.equal(first.status, 200)
  assert.match(first.text, /^data: \{"candidates"/)
  assert.deepEqual([bad.requests.length, (await gateway.decision()).status], [1, 200])
  const second = await callModel(gateway, { path: `/v1beta/models/to-wire${stream}`, body: request })
  assert.deepEqual([second.status, second.text], [200, event('wire')])
  assert.deepEqual([(await gateway.decision(1)).tokensOut, gateway.decisions.length], [8, 2])
})

const picky = JSON.stringify({ ...JSON.parse(request), generationConfig: { topK: 3 } })

test('one that stands in and cannot take the request is passed over, whether it refuses here or upstream', async (t) => {
  const bad = await startWireServer(t, (exchange) => sendError(exchange, 503))
  const refusing = await startWireServer(t, (exchange) => sendError(exchange, 400))
  const good = await startWireServer(t, sendPlain)
  const gateway = await startModelGateway(t, {
    models: [
      wireModel(bad.origin, { retries: 0, fallbacks: ['no-top-k', 'refusing', 'back'] }),
      { name: 'no-top-k', engine: 'openai', baseUrl: bad.origin },
      wireModel(refusing.origin, { name: 'refusing' }),
      wireModel(good.origin, { name: 'back' }),
    ],
  })
  const { status, text } = await callModel(gateway, { body: picky })
  assert.deepEqual([status, text], [200, plainAnswer])
  assert.deepEqual([bad.requests.length, refusing.requests.length, gateway.decisions.length], [1, 1, 1])
})

test('when none that stands in can take the request, the caller learns of the outage and how long it lasts', async (t) => {
  const bad = await startWireServer(t, (exchange) => {
    exchange.response.setHeader('retry-after', '7')
    sendError(exchange, 503)
  })
  const refusing = await startWireServer(t, (exchange) => sendError(exchange, 404))
  const gateway = await startModelGateway(t, {
    models: [
      wireModel(bad.origin, { retries: 0, fallbacks: ['no-top-k'] }),
      { name: 'no-top-k', engine: 'openai', baseUrl: bad.origin },
      wireModel(bad.origin, { name: 'other', retries: 0, fallbacks: ['refusing'] }),
      wireModel(refusing.origin, { name: 'refusing' }),
    ],
  })
  for (const name of ['front', 'other']) {
    const path = `/v1beta/models/${name}:generateContent`
    const { status, headers } = await callModel(gateway, { path, body: picky })
    assert.deepEqual([status, headers['retry-after']], [503, '7'], name)
  }
  assert.equal(refusing.requests.length, 1)
})

for (const [what, type, text] of [
  ['a page of the proxy before it', 'text/html', '<h1>404 default backend</h1>'],
  ['its own words', 'application/json', '{"error":{"message":"The model `up` does not exist."}}'],
] as const)
  test(`a server without the model is stood in for, when it says so in ${what}`, async (t) => {
    const without = await startWireServer(t, ({ response }) =>
      response.writeHead(404, { 'content-type': type }).end(text),
    )
    const good = await startWireServer(t, sendPlain)
    const openai = { engine: 'openai', baseUrl: without.origin, model: 'up' }
    const gateway = await startModelGateway(t, {
      models: [
        { ...openai, name: 'front', fallbacks: ['back'] },
        { ...openai, name: 'alone' },
        wireModel(good.origin, { name: 'back' }),
      ],
    })
    const answer = await callModel(gateway, { body: request })
    assert.deepEqual([answer.status, answer.text], [200, plainAnswer])
    const path = '/v1beta/models/alone:generateContent'
    const alone = await callModel(gateway, { path, body: request })
    assert.equal(alone.status, type === 'text/html' ? 503 : 404)
    assert.match(alone.text, /the operator must set its/)
  })

test('a model that stands in only for what it can do is passed over for the rest', async (t) => {
  const bad = await startWireServer(t, (exchange) => sendError(exchange, 503))
  const vertex = { name: 'no-embedding', engine: 'vertex', project: 'p', baseUrl: bad.origin }
  const good = await startWireServer(t, sendPlain)
  const gateway = await startModelGateway(t, {
    models: [
      wireModel(bad.origin, { retries: 0, fallbacks: ['no-embedding', 'back'] }),
      vertex,
      wireModel(good.origin, { name: 'back' }),
    ],
  })
  const { text } = await callModel(gateway, { path: '/v1beta/models/front:embedContent' })
  assert.deepEqual([text, bad.requests.length, good.requests.length], [plainAnswer, 1, 1])
})

test('a caller that leaves while an upstream is asked has no other one asked', async (t) => {
  const first = await startWireServer(t, () => undefined)
  const second = await startWireServer(t, sendPlain)
  const gateway = await startModelGateway(t, {
    models: [wireModel(first.origin, { fallbacks: ['back'] }), wireModel(second.origin, { name: 'back' })],
  })
  const leaving = new AbortController()
  const answer = openCall(gateway, { signal: leaving.signal }).catch((error: unknown) => error)
  await first.reaches(() => first.requests.length === 1)
  leaving.abort()
  await answer
  assert.equal((await gateway.decision()).reason, 'cancelled')
  assert.equal(second.requests.length, 0)
})

test('an upstream that keeps failing is not asked again while another one answers', async (t) => {
  const bad = await startWireServer(t, (exchange) => sendError(exchange, 500))
  const good = await startWireServer(t, sendPlain)
  const gateway = await startModelGateway(t, {
    models: [
      wireModel(bad.origin, { retries: 0, fallbacks: ['back'] }),
      wireModel(good.origin, { name: 'back' }),
    ],
  })
  for (let count = 0; count < 8; count += 1) assert.equal((await callModel(gateway)).status, 200)
  assert.deepEqual([bad.requests.length, good.requests.length], [5, 8])
})
