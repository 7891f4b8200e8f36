import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import type { WireHead } from '../../src/engines/engine.ts'
import { ask, geminiEngine, listener, sse, upstreamKey, wireCall } from './wire-calls.ts'
import { event, openStream, plainAnswer, sendPlain, startWireServer } from './wire-upstream-server.ts'

test('a call goes to the model upstream with our key alone', async (t) => {
  const server = await startWireServer(t, sendPlain)
  const engine = geminiEngine(`${server.origin}/some/path/`, { model: 'models up' })
  t.after(engine.close)
  await ask(engine)
  const [request] = server.requests
  assert.equal(request?.path, '/some/path/v1beta/models/models%20up:generateContent')
  assert.deepEqual(request?.headers, {
    host: server.origin.slice(7),
    connection: 'keep-alive',
    'content-type': 'application/json',
    'x-goog-api-key': upstreamKey,
    'accept-encoding': 'identity',
    'content-length': '15',
  })
})

for (const [operation, framing, end] of [
  ['streamGenerateContent', 'sse', 'streamGenerateContent?alt=sse'],
  ['streamGenerateContent', 'json', 'streamGenerateContent'],
  ['countTokens', 'json', 'countTokens'],
  ['embedContent', 'json', 'embedContent'],
  ['batchEmbedContents', 'json', 'batchEmbedContents'],
] as const) {
  test(`${operation} as ${framing} is asked for as ${end}`, async (t) => {
    const server = await startWireServer(t, sendPlain)
    const engine = geminiEngine(server.origin)
    t.after(engine.close)
    await ask(engine, { operation, framing })
    assert.equal(server.requests[0]?.path, `/v1beta/models/up:${end}`)
  })
}

test('bytes go both ways as they are, whatever they are', async (t) => {
  const server = await startWireServer(t, (exchange) => sendPlain(exchange, exchange.body.toString('utf8')))
  const engine = geminiEngine(server.origin)
  t.after(engine.close)
  const text = '{ "contents":[],\n "brandNew" : {"x": 1e400},"contents":"twice", "🙂":"\\ud800" }'
  for (const body of [text, Buffer.from(text), new Uint8Array(Buffer.from(text))]) {
    const { text: answer, heads } = await ask(engine, { body })
    assert.equal(answer, text)
    assert.equal(heads[0]?.status, 200)
  }
  assert.equal(server.requests[2]?.body.toString('utf8'), text)
})

test('the usage is told with the end', async (t) => {
  const server = await startWireServer(t, sendPlain)
  const engine = geminiEngine(server.origin)
  t.after(engine.close)
  const heard = await ask(engine)
  assert.equal(heard.text, plainAnswer)
  assert.deepEqual(heard.usage, { promptTokens: 7, outputTokens: 8 })
  assert.equal(heard.ends, 1)
})

test('the length of an answer is told where the upstream tells it', async (t) => {
  const server = await startWireServer(t, (exchange) => {
    if (exchange.count === 1) exchange.response.setHeader('content-length', plainAnswer.length)
    else exchange.response.setHeader('transfer-encoding', 'chunked')
    sendPlain(exchange)
  })
  const engine = geminiEngine(server.origin)
  t.after(engine.close)
  assert.equal((await ask(engine)).heads[0]?.length, String(plainAnswer.length))
  assert.equal((await ask(engine)).heads[0]?.length, undefined)
})

test('each event of a stream goes on before the next one comes', async (t) => {
  const next = Promise.withResolvers<void>()
  const server = await startWireServer(t, (exchange) => {
    const response = openStream(exchange)
    response.write(event('one'))
    void next.promise.then(() => response.end(event('two')))
  })
  const engine = geminiEngine(server.origin)
  t.after(engine.close)
  const seen: string[] = []
  const { sink, heard } = listener((bytes) => {
    seen.push(Buffer.from(bytes).toString('utf8'))
    next.resolve()
    return true
  })
  engine.forward(wireCall(sse), sink)
  assert.equal((await heard).text, event('one') + event('two'))
  assert.deepEqual(seen, [event('one'), event('two')])
})

test('a sink that is full stops the upstream, and its resume lets it go on', async (t) => {
  const total = 64 * 1024 * 1024
  let sent = 0
  const block = Buffer.alloc(65_536, 'x')
  const server = await startWireServer(t, (exchange) => {
    const response = openStream(exchange)
    const write = (): void => {
      while (sent < total) {
        sent += block.length
        if (!response.write(block)) {
          response.once('drain', write)
          return
        }
      }
      response.end()
    }
    write()
  })
  const engine = geminiEngine(server.origin, { idleSeconds: 0.3 })
  t.after(engine.close)
  let taken = 0
  const full = Promise.withResolvers<WireHead>()
  const { sink, heard } = listener((bytes, head) => {
    taken += bytes.length
    full.resolve(head)
    return taken > bytes.length
  })
  engine.forward(wireCall(sse), sink)
  const head = await full.promise
  // Longer than the upstream may be silent: who is kept waiting is not silent.
  await delay(600)
  assert.ok(taken <= 2 * 65_536, `${taken} bytes came to a sink that was full`)
  assert.ok(sent < 16 * 1024 * 1024, `${sent} bytes were taken from the upstream`)
  head.resume()
  const { failure, text } = await heard
  assert.equal(failure, undefined)
  assert.equal(text.length, total)
})

test('a connection is used again, and none is left when the engine closes', async (t) => {
  const server = await startWireServer(t, sendPlain)
  const engine = geminiEngine(server.origin)
  for (let count = 0; count < 20; count += 1) await ask(engine)
  assert.ok(server.state.sockets <= 2, `${server.state.sockets} connections`)
  await Promise.all(Array.from({ length: 20 }, () => ask(engine)))
  await engine.close()
  await server.reaches(({ sockets }) => sockets === 0)
  assert.equal((await ask(engine)).failure?.code, 'unavailable')
})
