import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isClientError } from '../../test/client/client-error-check.ts'
import { drain } from '../../test/client/cut-list.ts'
import { type ServerSentEvent, serverSentBlocks, serverSentEvents } from './server-sent-events.ts'

function streamOf(text: string, pieceLength = 1): ReadableStream<Uint8Array> {
  const bytes = new TextEncoder().encode(text)
  let sent = 0
  return new ReadableStream({
    pull: (controller) => {
      if (sent >= bytes.length) return controller.close()
      controller.enqueue(bytes.slice(sent, sent + pieceLength))
      sent += pieceLength
    },
  })
}

function eventsOf(text: string, pieceLength?: number): Promise<ServerSentEvent[]> {
  return drain(serverSentEvents(streamOf(text, pieceLength), { maxLength: 100 }))
}

const twoEvents = [
  { id: '', name: 'message', data: 'ä' },
  { id: '7', name: 'event', data: 'b\nc' },
]

for (const [end, name] of [
  ['\n', 'line feeds'],
  ['\r\n', 'both'],
] as const)
  for (const length of [1, 2, 3, 1000])
    test(`lines that end with ${name} are read in pieces of ${length}`, async () => {
      const lines = ['data: ä', '', ': a comment', '', 'id: 7', 'event: event', 'data:b', 'data: c', '', '']
      assert.deepEqual(await eventsOf(lines.join(end), length), twoEvents)
    })

test('lines that end with carriage returns alone are read', async () => {
  assert.deepEqual(await eventsOf('data: a\r\rdata: b\r\r: end\n', 3), [
    { id: '', name: 'message', data: 'a' },
    { id: '', name: 'message', data: 'b' },
  ])
})

test('an id stays until another one comes', async () => {
  const events = await eventsOf('id: 1\ndata: a\n\ndata: b\n\n', 5)
  assert.deepEqual(
    events.map(({ id }) => id),
    ['1', '1'],
  )
})

test('an id without an event is no event, and is the id of those that follow', async () => {
  const text = 'id: 1\n\n: a comment\n\nevent: none\n\ndata: a\n\nid: 2\nevent: none\n\n'
  assert.deepEqual(await eventsOf(text, 5), [{ id: '1', name: 'message', data: 'a' }])
  const blocks = await drain(serverSentBlocks(streamOf(text, 5), { maxLength: 100 }))
  assert.deepEqual(
    blocks.map(({ id, data }) => [id, data]),
    [
      ['1', undefined],
      ['1', 'a'],
      ['2', undefined],
    ],
  )
})

for (const text of ['data: a', 'data: a\n', 'data: a\n\ndata: b\n'])
  test(`a stream that ends within an event is an error: ${JSON.stringify(text)}`, async () => {
    await assert.rejects(eventsOf(text, 4), isClientError('network'))
  })

test('an event that is too long is refused while it comes', async () => {
  await assert.rejects(eventsOf(`data: ${'x'.repeat(200)}`, 10), isClientError('too_large'))
  await assert.rejects(eventsOf('data: x\n'.repeat(200), 10), isClientError('too_large'))
})

test('leaving the loop ends the stream', async () => {
  let isCancelled = false
  const endless = new ReadableStream<Uint8Array>({
    pull: (controller) => controller.enqueue(new TextEncoder().encode('data: a\n\n')),
    cancel: () => {
      isCancelled = true
    },
  })
  for await (const { data } of serverSentEvents(endless, { maxLength: 100 })) {
    assert.equal(data, 'a')
    break
  }
  assert.ok(isCancelled)
})
