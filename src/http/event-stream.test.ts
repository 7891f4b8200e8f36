import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { open, plainServer } from '../../test/serving/plain-server.ts'
import { openEventStream } from './event-stream.ts'

test('events go out as they come, with the headers of every answer', async () => {
  const { server } = plainServer()
  server.get('/events', open, (_request, reply) => {
    const stream = openEventStream(reply)
    stream.offer('{"a":1}')
    stream.end('{"b":2}')
    stream.offer('{"late":3}')
  })
  const response = await server.inject('/events')
  assert.equal(response.body, 'event: message\ndata: {"a":1}\n\nevent: message\ndata: {"b":2}\n\n')
  assert.equal(response.headers['content-type'], 'text/event-stream')
  assert.equal(response.headers['cache-control'], 'no-store')
  assert.equal(response.headers['x-content-type-options'], 'nosniff')
})

test('a silent stream is kept alive by comments until it ends', async () => {
  const { server } = plainServer()
  server.get('/events', open, (_request, reply) => {
    const stream = openEventStream(reply, 1)
    setTimeout(() => stream.end('{}'), 20)
  })
  assert.match((await server.inject('/events')).body, /^(?:: keep-alive\n\n)+event: message\ndata: \{\}\n\n$/)
})

test('what is offered to a caller that has gone is dropped', async () => {
  const { server } = plainServer()
  const gone = Promise.withResolvers<void>()
  server.get('/events', open, async (request, reply) => {
    const stream = openEventStream(reply)
    await once(request.raw.socket, 'close')
    stream.offer('{}')
    stream.end('{}')
    gone.resolve()
  })
  const url = await server.listen({ port: 0, host: '127.0.0.1' })
  const response = await fetch(`${url}/events`)
  await response.body?.cancel()
  await gone.promise
  await server.close()
})

test('for a caller that has gone before its stream begins no heart beats on', async (t) => {
  const { server } = plainServer()
  const written = Promise.withResolvers<number>()
  server.get('/events', open, async (request, reply) => {
    leave.abort()
    await once(request.raw.socket, 'close')
    openEventStream(reply, 1)
    const { mock } = t.mock.method(reply.raw, 'write')
    setTimeout(() => written.resolve(mock.callCount()), 20)
  })
  const leave = new AbortController()
  const url = await server.listen({ port: 0, host: '127.0.0.1' })
  await assert.rejects(fetch(`${url}/events`, { signal: leave.signal }))
  assert.equal(await written.promise, 0)
  await server.close()
})

test('an event may have an id, by which its reader can go on, and a stream may end without an event', async () => {
  const { server } = plainServer()
  const sent: unknown[] = []
  server.get('/events', open, (_request, reply) => {
    const stream = openEventStream(reply)
    sent.push(stream.send({ id: '7', data: '{"a":1}' }), stream.send({ name: 'note', data: '{"b":2}' }))
    stream.end()
    sent.push(stream.send({ data: '{"late":3}' }))
  })
  const response = await server.inject('/events')
  assert.equal(response.body, 'id: 7\nevent: message\ndata: {"a":1}\n\nevent: note\ndata: {"b":2}\n\n')
  assert.deepEqual(sent, [true, true, false])
})

test('an id without an event is kept by readers, who pass nothing on', async () => {
  const { server } = plainServer()
  server.get('/events', open, (_request, reply) => {
    const stream = openEventStream(reply)
    void stream.send({ id: '7', name: 'note' })
    stream.end()
  })
  assert.equal((await server.inject('/events')).body, 'id: 7\n\n')
})

/** More than the buffers of two sockets take. */
const large = { data: 'x'.repeat(32 * 2 ** 20) }

test('who sends waits for a reader that is behind, and loses nothing', async () => {
  const { server } = plainServer()
  const promised = Promise.withResolvers<boolean | Promise<boolean>>()
  server.get('/events', open, async (_request, reply) => {
    const stream = openEventStream(reply)
    const sent = stream.send(large)
    promised.resolve(sent instanceof Promise && sent)
    await sent
    stream.end('{}')
  })
  const url = await server.listen({ port: 0, host: '127.0.0.1' })
  const response = await fetch(`${url}/events`)
  const text = await response.text()
  assert.equal(await promised.promise, true)
  assert.ok(text.endsWith('x\n\nevent: message\ndata: {}\n\n'))
  await server.close()
})

test('who waits for a reader that is behind learns that it has gone', async () => {
  const { server } = plainServer()
  const learned = Promise.withResolvers<boolean>()
  server.get('/events', open, async (_request, reply) => {
    learned.resolve(openEventStream(reply).send(large))
  })
  const url = await server.listen({ port: 0, host: '127.0.0.1' })
  const response = await fetch(`${url}/events`)
  await response.body?.cancel()
  assert.equal(await learned.promise, false)
  await server.close()
})
