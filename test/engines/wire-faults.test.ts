import assert from 'node:assert/strict'
import { createServer } from 'node:net'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { Presence } from '../../src/engines/presence.ts'
import { portOf } from '../serving/raw-connection.ts'
import { ask, geminiEngine, sse } from './wire-calls.ts'
import {
  event,
  openStream,
  plainAnswer,
  sendError,
  sendPlain,
  startWireServer,
  type WireExchange,
} from './wire-upstream-server.ts'

const keyRefusal = [{ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: 'API_KEY_INVALID' }]

const refusals: readonly (readonly [string, (exchange: WireExchange) => void])[] = [
  ['401', (exchange) => sendError(exchange, 401)],
  ['403', (exchange) => sendError(exchange, 403)],
  ['400 about our key', (exchange) => sendError(exchange, 400, keyRefusal)],
  ['redirect', ({ response }) => response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end('{}')],
]
for (const [what, serve] of refusals) {
  test(`a ${what} is our trouble and not the caller's, and is not tried again`, async (t) => {
    const server = await startWireServer(t, serve)
    const engine = geminiEngine(server.origin, { retries: 3 })
    t.after(engine.close)
    const { failure, heads, text, ends } = await ask(engine)
    assert.deepEqual([failure?.code, failure?.reason], ['unavailable', 'upstream_refused'])
    assert.deepEqual([heads.length, text, ends], [0, '', 1])
    assert.equal(server.requests.length, 1)
    for (let count = 0; count < 10; count += 1) await ask(engine)
    assert.ok(server.state.sockets <= 2, 'connections are used again')
  })
}

for (const status of [400, 404, 409, 422, 501]) {
  test(`a ${status} is handed on as it is`, async (t) => {
    const server = await startWireServer(t, (exchange) => sendError(exchange, status))
    const engine = geminiEngine(server.origin, { retries: 3 })
    t.after(engine.close)
    const { heads, text } = await ask(engine)
    assert.equal(heads[0]?.status, status)
    assert.match(text, new RegExp(`it is a ${status}`))
    assert.equal(server.requests.length, 1)
  })
}

test('a 400 of any length is handed on whole', async (t) => {
  const long = JSON.stringify({ error: { code: 400, message: 'x'.repeat(1_000_000) } })
  const server = await startWireServer(t, ({ response }) =>
    response.writeHead(400, { 'content-type': 'application/json' }).end(long),
  )
  const engine = geminiEngine(server.origin)
  t.after(engine.close)
  assert.equal((await ask(engine)).text, long)
})

for (const status of [408, 429, 500, 502, 503, 504]) {
  test(`a ${status} is tried again as often as configured, then handed on as it is`, async (t) => {
    const server = await startWireServer(t, (exchange) => sendError(exchange, status))
    const engine = geminiEngine(server.origin, { retries: 2 })
    t.after(engine.close)
    const { heads, text, ends } = await ask(engine)
    assert.deepEqual(
      heads.map((head) => head.status),
      [status],
    )
    assert.match(text, new RegExp(`it is a ${status}`))
    assert.deepEqual([server.requests.length, ends], [3, 1])
  })
}

test('the first good answer ends the attempts', async (t) => {
  const server = await startWireServer(t, (exchange) => {
    if (exchange.count === 1) sendError(exchange, 503)
    else sendPlain(exchange)
  })
  const engine = geminiEngine(server.origin, { retries: 3 })
  t.after(engine.close)
  const { text, heads, usage } = await ask(engine)
  assert.deepEqual([text, heads.length, server.requests.length], [plainAnswer, 1, 2])
  assert.deepEqual(usage, { promptTokens: 7, outputTokens: 8 })
})

test('an upstream that asks for more patience than a caller has is not tried again', async (t) => {
  const server = await startWireServer(t, (exchange) => {
    exchange.response.setHeader('retry-after', '36')
    sendError(exchange, 429)
  })
  const engine = geminiEngine(server.origin, { retries: 3 })
  t.after(engine.close)
  const { heads } = await ask(engine)
  assert.deepEqual([heads[0]?.status, heads[0]?.retryAfter, server.requests.length], [429, '36', 1])
})

const breakages: readonly (readonly [string, (exchange: WireExchange) => void, string])[] = [
  ['resets the connection', ({ response }) => response.socket?.resetAndDestroy(), 'upstream_failed'],
  ['sends no HTTP', ({ response }) => response.socket?.end('hello\r\n\r\n'), 'upstream_failed'],
  ['answers with HTML', ({ response }) => sendHtml(response, 200), 'upstream_garbage'],
  ['answers 502 with HTML', ({ response }) => sendHtml(response, 502), 'upstream_failed'],
  ['compresses its answer', ({ response }) => sendGzip(response), 'upstream_garbage'],
  ['sends 100 twice', ({ response }) => response.socket?.end(continues.repeat(2)), 'upstream_failed'],
]
for (const [what, serve, reason] of breakages) {
  test(`an upstream that ${what} is unavailable, with no byte handed on`, async (t) => {
    const server = await startWireServer(t, serve)
    const engine = geminiEngine(server.origin)
    const { failure, heads, ends } = await ask(engine)
    assert.deepEqual([failure?.code, failure?.reason, heads.length, ends], ['unavailable', reason, 0, 1])
    await engine.close()
    await server.reaches(({ sockets }) => sockets === 0)
  })
}

const continues = 'HTTP/1.1 100 Continue\r\n\r\n'

function sendHtml(response: WireExchange['response'], status: number): void {
  response.writeHead(status, { 'content-type': 'text/html' }).end('<html>')
}

function sendGzip(response: WireExchange['response']): void {
  response
    .writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' })
    .end(gzipSync(plainAnswer))
}

test('early hints before an answer are no answer', async (t) => {
  const server = await startWireServer(t, (exchange) => {
    exchange.response.writeEarlyHints({ link: '</x>; rel=preload' })
    sendPlain(exchange)
  })
  const engine = geminiEngine(server.origin)
  t.after(engine.close)
  const { text, heads } = await ask(engine)
  assert.deepEqual([text, heads.length, heads[0]?.status], [plainAnswer, 1, 200])
})

test('a broken connection is tried again before the first byte and never after it', async (t) => {
  const server = await startWireServer(t, (exchange) => {
    if (exchange.count === 1) exchange.response.socket?.resetAndDestroy()
    else openStream(exchange).write(event('one'), () => exchange.response.socket?.resetAndDestroy())
  })
  const engine = geminiEngine(server.origin, { retries: 5 })
  t.after(engine.close)
  const { failure, text, usage, ends } = await ask(engine, sse)
  assert.equal(failure?.reason, 'upstream_failed')
  assert.deepEqual([text, server.requests.length, ends], [event('one'), 2, 1])
  assert.deepEqual(usage, { promptTokens: 7, outputTokens: 8 })
})

test('an answer shorter than its length is broken', async (t) => {
  const server = await startWireServer(t, ({ response }) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': 100 })
    response.write('{"half":', () => response.socket?.end())
  })
  const engine = geminiEngine(server.origin, { retries: 2 })
  t.after(engine.close)
  const { failure, text } = await ask(engine)
  assert.deepEqual([failure?.code, text, server.requests.length], ['unavailable', '{"half":', 1])
})

test('an upstream that never begins is late, and the call is not sent twice', async (t) => {
  const server = await startWireServer(t, () => undefined)
  const engine = geminiEngine(server.origin, { firstByteSeconds: 0.2, retries: 3 })
  t.after(engine.close)
  const { failure } = await ask(engine)
  assert.deepEqual([failure?.code, failure?.reason], ['timeout', 'upstream_timeout'])
  assert.equal(server.requests.length, 1)
  await server.reaches(({ sockets }) => sockets === 0)
})

test('an upstream that falls silent is late, with what it sent before', async (t) => {
  const server = await startWireServer(t, (exchange) => openStream(exchange).write(event('one')))
  const engine = geminiEngine(server.origin, { idleSeconds: 0.2 })
  t.after(engine.close)
  const { failure, text, usage } = await ask(engine, sse)
  assert.deepEqual([failure?.code, text], ['timeout', event('one')])
  assert.deepEqual(usage, { promptTokens: 7, outputTokens: 8 })
  await server.reaches(({ sockets }) => sockets === 0)
})

test('an upstream that is not there is unavailable', async (t) => {
  const listening = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => listening.once('listening', resolve))
  const port = portOf(listening)
  await new Promise((resolve) => listening.close(resolve))
  const engine = geminiEngine(`http://127.0.0.1:${port}`)
  t.after(engine.close)
  assert.equal((await ask(engine)).failure?.reason, 'upstream_failed')
})

test('after five failures in a row an upstream is left alone, then tried again', async (t) => {
  let now = 0
  let isWell = false
  const server = await startWireServer(t, (exchange) => {
    if (isWell) sendPlain(exchange)
    else sendError(exchange, 500)
  })
  const engine = geminiEngine(server.origin, { now: () => now })
  t.after(engine.close)
  for (let count = 0; count < 5; count += 1) await ask(engine)
  const { failure, heads } = await ask(engine)
  assert.deepEqual([failure?.code, failure?.reason, heads.length], ['unavailable', 'overloaded', 0])
  assert.deepEqual([failure?.retryAfterSeconds, server.requests.length], [5, 5])
  isWell = true
  now = 5000
  assert.equal((await ask(engine)).text, plainAnswer)
  assert.equal((await ask(engine)).text, plainAnswer)
})

test('an upstream that lacks an operation is asked for others', async (t) => {
  const server = await startWireServer(t, (exchange) =>
    exchange.count > 6 ? sendPlain(exchange) : sendError(exchange, 501),
  )
  const engine = geminiEngine(server.origin)
  t.after(engine.close)
  for (let count = 0; count < 6; count += 1) assert.equal((await ask(engine)).heads[0]?.status, 501)
  assert.equal((await ask(engine)).text, plainAnswer)
})

test('a hundred calls that break in every way leave no connection behind', async (t) => {
  const ways: readonly ((exchange: WireExchange) => void)[] = [
    ...breakages.map(([, serve]) => serve),
    ...refusals.map(([, serve]) => serve),
    sendPlain,
    (exchange) => sendError(exchange, 503),
    (exchange) => openStream(exchange).write(event('x')),
    () => undefined,
  ]
  const server = await startWireServer(t, (exchange) => ways[exchange.count % ways.length]?.(exchange))
  const engine = geminiEngine(server.origin, { now: () => 0, firstByteSeconds: 0.3, idleSeconds: 0.3 })
  const calls = Array.from({ length: 100 }, (_, at) => {
    const caller = new Presence()
    if (at % 3 === 0) setTimeout(() => caller.leave(), 100)
    return ask(engine, { ...sse, caller })
  })
  const heard = await Promise.all(calls)
  assert.ok(heard.every(({ ends }) => ends === 1))
  await server.reaches(({ answering }) => answering === 0)
  await engine.close()
  await server.reaches(({ sockets }) => sockets === 0)
})
