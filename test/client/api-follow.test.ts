import assert from 'node:assert/strict'
import { test } from 'node:test'
import { apiClient } from '../../src/client/api/api-client.ts'
import { event, standIn } from './api-stand-in.ts'
import { isClientError } from './client-error-check.ts'

const patience = { wait: async () => undefined, random: () => 0 }

function sent(seq: number): string {
  return `id: c${seq}\nevent: event\ndata: ${JSON.stringify(event(seq))}\n\n`
}

test('a stream that ends is taken up again behind the last event that was consumed', async () => {
  let streams = 0
  await using server = await standIn((_, response) => {
    streams += 1
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(`: keep-alive\n\n${sent(streams * 2 - 1)}${sent(streams * 2)}`)
    if (streams < 3) response.end()
    return 'written'
  })
  const follow = apiClient(server.url).followEvents({ surface: 'tools', retries: patience })
  const seen: number[] = []
  for await (const { seq } of follow) {
    seen.push(seq)
    if (seen.length === 6) break
  }
  assert.deepEqual(seen, [1, 2, 3, 4, 5, 6])
  assert.equal(follow.position, 'c5')
  assert.deepEqual(
    server.received.map(({ line, headers }) => [line, headers['last-event-id']]),
    [undefined, 'c2', 'c4'].map((cursor) => ['GET /api/v1/events:stream?surface=tools', cursor]),
  )
})

test('a stream that ends before its first event is taken up again where it was', async () => {
  const said = ['id: c3\n\n', ': keep-alive\n\nid: c5\n\n', sent(6)]
  await using server = await standIn((_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(said[server.received.length - 1] ?? '')
    if (server.received.length < said.length) response.end()
    return 'written'
  })
  const follow = apiClient(server.url).followEvents({ retries: patience })
  for await (const { seq } of follow) {
    assert.equal(seq, 6)
    assert.equal(follow.position, 'c5')
    break
  }
  assert.deepEqual(
    server.received.map(({ headers }) => headers['last-event-id']),
    [undefined, 'c3', 'c5'],
  )
})

test('a saved position is where it begins', async () => {
  await using server = await standIn((_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(sent(8))
    return 'written'
  })
  for await (const { seq } of apiClient(server.url).followEvents({ start: 'c7' })) {
    assert.equal(seq, 8)
    break
  }
  assert.equal(server.received[0]?.headers['last-event-id'], 'c7')
})

test('a gateway that stays away is given up on, so many tries later', async () => {
  await using server = await standIn((_, response) => {
    response.writeHead(503, { 'content-type': 'application/problem+json' }).end('{"code":"too_many_streams"}')
    return 'written'
  })
  const follow = apiClient(server.url).followEvents({ retries: { ...patience, most: 4 } })
  await assert.rejects(follow[Symbol.asyncIterator]().next(), isClientError('too_many_streams'))
  assert.equal(server.received.length, 5)
})

test('a refusal ends it at once', async () => {
  await using server = await standIn((_, response) => {
    response.writeHead(403, { 'content-type': 'application/problem+json' }).end('{"code":"forbidden"}')
    return 'written'
  })
  const follow = apiClient(server.url).followEvents({ retries: patience })
  await assert.rejects(follow[Symbol.asyncIterator]().next(), isClientError('forbidden'))
  assert.equal(server.received.length, 1)
})

test('it ends with its signal while it waits for events', async () => {
  const stopping = new AbortController()
  await using server = await standIn((_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders()
    stopping.abort(new Error('enough'))
    return 'written'
  })
  const follow = apiClient(server.url).followEvents({ signal: stopping.signal, retries: patience })
  await assert.rejects(follow[Symbol.asyncIterator]().next(), /enough/)
})
