import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Presence } from '../../src/engines/presence.ts'
import { assertWithin } from './own-time.ts'
import { ask, geminiEngine, listener, sse, wireCall } from './wire-calls.ts'
import {
  event,
  openStream,
  plainAnswer,
  sendError,
  sendPlain,
  startWireServer,
  type WireExchange,
} from './wire-upstream-server.ts'

test('a caller that leaves before the connection stands is told so at once', async (t) => {
  // Nobody answers there: it is set aside for documentation (RFC 5737).
  const engine = geminiEngine('http://192.0.2.1:9', { connectSeconds: 30 })
  t.after(engine.close)
  const caller = new Presence()
  const heard = ask(engine, { caller })
  caller.leave()
  await assertWithin(100, heard)
  assert.equal((await heard).failure?.reason, 'cancelled')
})

for (const [when, serve] of [
  ['before the answer', () => undefined],
  ['during the answer', (exchange: WireExchange) => openStream(exchange).write(event('one'))],
] as const) {
  test(`a caller that leaves ${when} ends the work upstream within 100 ms`, async (t) => {
    const server = await startWireServer(t, serve)
    const engine = geminiEngine(server.origin, { retries: 2 })
    t.after(engine.close)
    const caller = new Presence()
    const begun = Promise.withResolvers<void>()
    const { sink, heard } = listener(() => {
      begun.resolve()
      return true
    })
    engine.forward(wireCall({ ...sse, caller }), sink)
    if (when === 'during the answer') await begun.promise
    else await server.reaches(() => server.requests.length === 1)
    caller.leave()
    const left = server.reaches(({ answering }) => answering === 0)
    await assertWithin(100, left)
    const { failure, usage, ends } = await heard
    assert.deepEqual([failure?.reason, ends, server.requests.length], ['cancelled', 1, 1])
    if (when === 'during the answer') assert.deepEqual(usage, { promptTokens: 7, outputTokens: 8 })
    await server.reaches(({ sockets }) => sockets === 0)
  })
}

test('a caller that left while the next attempt waits has it not made', async (t) => {
  const caller = new Presence()
  const server = await startWireServer(t, (exchange) => {
    exchange.response.setHeader('retry-after', '2')
    sendError(exchange, 503)
    exchange.response.once('close', () => caller.leave())
  })
  const engine = geminiEngine(server.origin, { retries: 2 })
  t.after(engine.close)
  const { failure } = await ask(engine, { caller })
  assert.deepEqual([failure?.reason, server.requests.length], ['cancelled', 1])
})

test('a caller that was gone from the start costs no request', async (t) => {
  const server = await startWireServer(t, sendPlain)
  const engine = geminiEngine(server.origin)
  t.after(engine.close)
  const caller = new Presence()
  caller.leave()
  assert.equal((await ask(engine, { caller })).failure?.reason, 'cancelled')
  assert.equal(server.requests.length, 0)
})

test('callers that leave are no failures of the upstream', async (t) => {
  const server = await startWireServer(t, (exchange) => {
    if (exchange.count > 8) sendPlain(exchange)
  })
  const engine = geminiEngine(server.origin)
  t.after(engine.close)
  for (let count = 1; count <= 8; count += 1) {
    const caller = new Presence()
    const heard = ask(engine, { caller })
    await server.reaches(() => server.requests.length === count)
    caller.leave()
    await heard
  }
  assert.equal((await ask(engine)).text, plainAnswer)
})
