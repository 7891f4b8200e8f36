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
