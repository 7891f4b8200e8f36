import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { Failure } from '../../failure/failure.ts'
import { readSseEvents, type SseEvent } from './sse-reader.ts'

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text)

async function eventsOf(chunks: readonly Uint8Array[], limit = 1000): Promise<readonly SseEvent[]> {
  const events: SseEvent[] = []
  for await (const event of readSseEvents(fromList(chunks), limit)) events.push(event)
  return events
}

async function* fromList(chunks: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* chunks
}

async function dataOf(text: string): Promise<readonly string[]> {
  return (await eventsOf([bytesOf(text)])).map(({ data }) => data)
}

for (const [name, end] of [
  ['LF', '\n'],
  ['CR LF', '\r\n'],
  ['CR', '\r'],
] as const) {
  test(`lines may end in ${name}`, async () => {
    assert.deepEqual(await dataOf(`data: a${end}${end}data: b${end}${end}`), ['a', 'b'])
  })
}

test('data in several lines is joined by line feeds', async () => {
  assert.deepEqual(await dataOf('data: a\ndata\ndata:  b\n\n'), ['a\n\n b'])
})

test('comments, ids, retries and unknown fields are no events', async () => {
  assert.deepEqual(await dataOf(': hello\n\nid: 1\nretry: 2\n\nerror: x\n\ndata:a\n\n'), ['a'])
})

test('an event has its name, and the next one has none', async () => {
  assert.deepEqual(await eventsOf([bytesOf('event: error\ndata: a\n\ndata: b\n\n')]), [
    { event: 'error', data: 'a' },
    { event: 'message', data: 'b' },
  ])
})

test('the last event needs neither its blank line nor its line end', async () => {
  assert.deepEqual(await dataOf('data: a\n\ndata: b\n'), ['a', 'b'])
  assert.deepEqual(await dataOf('data: a\n\ndata: b'), ['a', 'b'])
})

test('a byte order mark is dropped at the beginning only', async () => {
  assert.deepEqual(await dataOf('\uFEFFdata: a\n\n\uFEFFdata: b\n\ndata: \uFEFFc\n\n'), ['a', '\uFEFFc'])
})

test('the events are the same wherever the bytes are cut', async () => {
  const line = fc.oneof(
    fc.string({ unit: 'grapheme', maxLength: 12 }).map((text) => `data: ${text.replaceAll(/[\r\n]/g, '')}`),
    fc.constantFrom('', ':comment', 'event: x', 'data', 'id: 7', 'data:🌷'),
  )
  const stream = fc.array(fc.tuple(line, fc.constantFrom('\n', '\r\n', '\r')), { maxLength: 20 })
  await fc.assert(
    fc.asyncProperty(stream, fc.array(fc.nat(), { maxLength: 12 }), async (lines, cuts) => {
      const bytes = bytesOf(lines.flat().join(''))
      const places = [0, ...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length].sort((a, b) => a - b)
      const chunks = places.slice(1).map((end, index) => bytes.subarray(places[index], end))
      assert.deepEqual(await eventsOf(chunks), await eventsOf([bytes]))
    }),
    { numRuns: 300 },
  )
})

test('an event larger than the limit is refused, however it is cut', async () => {
  const isTooLarge = (error: unknown): boolean => error instanceof Failure && error.code === 'unavailable'
  const large = bytesOf(`data: ${'x'.repeat(100)}\n\n`)
  await assert.rejects(eventsOf([large], 50), isTooLarge)
  await assert.rejects(
    eventsOf(
      Array.from(large, (byte) => Uint8Array.of(byte)),
      50,
    ),
    isTooLarge,
  )
  await assert.rejects(eventsOf([bytesOf('data: 0123456789\n'.repeat(9))], 50), isTooLarge)
})

test('many small events and comments are no large event', async () => {
  const text = `: 0123456789\n${'data: 0123456789\n\n: 0123456789\n'.repeat(50)}data: a\n${': 0123456789\n'.repeat(50)}\n`
  assert.equal((await eventsOf([bytesOf(text)], 50)).length, 51)
})
