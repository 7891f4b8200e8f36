import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { test } from 'node:test'
import type { AnswerPiece } from '../engines/content.ts'
import { Failure } from '../failure/failure.ts'
import { type SendOptions, type Sent, sendPieces } from './answer.ts'
import { createWireErrors } from './errors.ts'
import type { Framing } from './errors-method.ts'

const errors = createWireErrors({
  vendor: 'goog',
  service: 'generativelanguage.googleapis.com',
  scopeBase: 'https://www.googleapis.com/auth',
  realm: 'https://gate.example',
})
const usage = { promptTokenCount: 2, candidatesTokenCount: 2, totalTokenCount: 4 }

function said(text: string): AnswerPiece {
  return { candidates: [{ index: 0, content: { role: 'model', parts: [{ text }] } }] }
}

const last: AnswerPiece = { candidates: [{ index: 0, finishReason: 'STOP' }], usageMetadata: usage }

async function* story(): AsyncGenerator<AnswerPiece> {
  yield said('a')
  yield said('ü')
  yield last
}

/** Serves one answer on a real socket. */
async function serve(
  framing: Framing,
  pieces: (signal: AbortSignal) => AsyncIterable<AnswerPiece>,
): Promise<{ url: string; port: number; sent: Promise<Sent>; [Symbol.asyncDispose]: () => Promise<void> }> {
  const ended = Promise.withResolvers<Sent>()
  // A failure that no test awaits must not end the run.
  ended.promise.catch(() => undefined)
  const server = createServer((_request, raw) => {
    const controller = new AbortController()
    sendPieces(pieces(controller.signal), optionsFor(raw, framing, controller)).then(
      ended.resolve,
      (error) => {
        raw.writeHead(418).end()
        ended.reject(error)
      },
    )
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = addressOf(server.address())
  return {
    url: `http://127.0.0.1:${port}/`,
    port,
    sent: ended.promise,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

function optionsFor(raw: ServerResponse, framing: Framing, controller: AbortController): SendOptions {
  return {
    raw,
    framing,
    modelVersion: 'v7',
    responseId: 'id',
    headers: { 'x-request-id': 'r1' },
    abort: () => controller.abort(),
    errorBody: (failure) => errors.body(failure),
  }
}

function addressOf(address: string | AddressInfo | null): AddressInfo {
  assert.ok(typeof address === 'object' && address !== null)
  return address
}

test('a whole answer is one JSON with all that the pieces said', async () => {
  await using server = await serve('whole', story)
  const response = await fetch(server.url)
  assert.equal(
    await response.text(),
    '{"candidates":[{"content":{"parts":[{"text":"aü"}],"role":"model"},"finishReason":"STOP","index":0}],"usageMetadata":{"promptTokenCount":2,"candidatesTokenCount":2,"totalTokenCount":4},"modelVersion":"v7","responseId":"id"}',
  )
  assert.equal(response.headers.get('content-type'), 'application/json; charset=UTF-8')
  assert.equal(response.headers.get('x-request-id'), 'r1')
  assert.deepEqual(await server.sent, { status: 200, usage, cancelled: false })
})

test('events are one line each, end with a blank line, and nothing follows the last', async () => {
  await using server = await serve('sse', story)
  const response = await fetch(server.url)
  assert.equal(
    await response.text(),
    [
      'data: {"candidates":[{"index":0,"content":{"role":"model","parts":[{"text":"a"}]}}],"modelVersion":"v7","responseId":"id"}\r\n\r\n',
      'data: {"candidates":[{"index":0,"content":{"role":"model","parts":[{"text":"ü"}]}}],"modelVersion":"v7","responseId":"id"}\r\n\r\n',
      'data: {"candidates":[{"index":0,"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":2,"candidatesTokenCount":2,"totalTokenCount":4},"modelVersion":"v7","responseId":"id"}\r\n\r\n',
    ].join(''),
  )
  assert.equal(response.headers.get('content-type'), 'text/event-stream')
  assert.equal(response.headers.get('x-accel-buffering'), 'no')
  assert.deepEqual(await server.sent, { status: 200, usage, cancelled: false })
})

test('without SSE the pieces are a list, cut as the API cuts it', async () => {
  await using server = await serve('array', story)
  const response = await fetch(server.url)
  const text = await response.text()
  assert.equal(
    text,
    [
      '[{"candidates":[{"index":0,"content":{"role":"model","parts":[{"text":"a"}]}}],"modelVersion":"v7","responseId":"id"}',
      '\n,\r\n{"candidates":[{"index":0,"content":{"role":"model","parts":[{"text":"ü"}]}}],"modelVersion":"v7","responseId":"id"}',
      '\n,\r\n{"candidates":[{"index":0,"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":2,"candidatesTokenCount":2,"totalTokenCount":4},"modelVersion":"v7","responseId":"id"}',
      '\n]',
    ].join(''),
  )
  assert.equal(JSON.parse(text).length, 3)
  assert.equal(response.headers.get('content-type'), 'application/json; charset=UTF-8')
})

test('an answer of no pieces is still well formed', async () => {
  async function* nothing(): AsyncGenerator<AnswerPiece> {}
  const texts = { whole: '{"modelVersion":"v7","responseId":"id"}', sse: '', array: '[]' } as const
  for (const framing of ['whole', 'sse', 'array'] as const) {
    await using server = await serve(framing, nothing)
    const response = await fetch(server.url)
    assert.equal(await response.text(), texts[framing])
  }
})

test('an answer names itself when nobody names it', async () => {
  const server = createServer((_request, raw) => {
    const { responseId: _, ...options } = optionsFor(raw, 'whole', new AbortController())
    void sendPieces(story(), options)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  try {
    const response = await fetch(`http://127.0.0.1:${addressOf(server.address()).port}/`)
    assert.match(JSON.parse(await response.text()).responseId, /^[\w-]{22}$/)
  } finally {
    server.closeAllConnections()
    server.close()
  }
})

test('what fails before the first piece is thrown, and nothing is written', async () => {
  const refusal = new Failure('invalid-request', 'no')
  async function* refused(): AsyncGenerator<AnswerPiece> {
    yield await Promise.reject<AnswerPiece>(refusal)
  }
  for (const framing of ['whole', 'sse', 'array'] as const) {
    await using server = await serve(framing, refused)
    const response = await fetch(server.url)
    assert.equal(response.status, 418)
    await assert.rejects(server.sent, refusal)
  }
})

test('a whole answer that fails in its middle gets its own status too', async () => {
  await using server = await serve('whole', broken)
  assert.equal((await fetch(server.url)).status, 418)
})

async function* broken(): AsyncGenerator<AnswerPiece> {
  yield said('a')
  throw new Failure('unavailable', 'ours', { reason: 'overloaded' })
}

const inBand =
  '{"error":{"code":503,"message":"The model is overloaded. Please try again later.","status":"UNAVAILABLE"}}'
const first =
  '{"candidates":[{"index":0,"content":{"role":"model","parts":[{"text":"a"}]}}],"modelVersion":"v7","responseId":"id"}'

test('what fails in the middle of a stream is told as its last element', async () => {
  const texts = {
    sse: `data: ${first}\r\n\r\ndata: ${inBand}\r\n\r\n`,
    array: `[${first}\n,\r\n${inBand}\n]`,
  } as const
  for (const framing of ['sse', 'array'] as const) {
    await using server = await serve(framing, broken)
    const response = await fetch(server.url)
    assert.equal(await response.text(), texts[framing])
    const { failure, ...sent } = await server.sent
    assert.equal(failure?.reason, 'overloaded')
    assert.deepEqual(sent, { status: 200, usage: undefined, cancelled: false, pieces: 1 })
  }
})

test('an unexpected error in the middle of a stream says nothing of ours', async () => {
  async function* surprising(): AsyncGenerator<AnswerPiece> {
    yield said('a')
    throw new TypeError('secret')
  }
  await using server = await serve('sse', surprising)
  const text = await (await fetch(server.url)).text()
  assert.match(text, /"code":500/)
  assert.doesNotMatch(text, /secret/)
  const { failure } = await server.sent
  assert.ok(failure?.cause instanceof TypeError)
})

test('a reader who goes away in the middle ends the work at once', async () => {
  for (const framing of ['sse', 'array'] as const) {
    const aborted = Promise.withResolvers<void>()
    async function* endless(signal: AbortSignal): AsyncGenerator<AnswerPiece> {
      yield { ...said('a'), usageMetadata: usage }
      await once(signal, 'abort')
      aborted.resolve()
      throw signal.reason
    }
    await using server = await serve(framing, endless)
    const socket = ask(server.port)
    await once(socket, 'data')
    socket.destroy()
    await aborted.promise
    assert.deepEqual(await server.sent, { status: 200, usage, cancelled: true, pieces: 1 })
  }
})

test('a reader who goes away before the first byte is noticed, even if the engine does not mind', async () => {
  for (const framing of ['whole', 'sse'] as const) {
    const started = Promise.withResolvers<void>()
    async function* deaf(): AsyncGenerator<AnswerPiece> {
      started.resolve()
      await new Promise(() => undefined)
      yield last
    }
    await using server = await serve(framing, deaf)
    const socket = ask(server.port)
    await started.promise
    socket.destroy()
    assert.deepEqual(await server.sent, { status: 499, usage: undefined, cancelled: true })
  }
})

test('a slow reader is waited for, and still gets every byte', async () => {
  const pieces = 4000
  let made = 0
  async function* long(): AsyncGenerator<AnswerPiece> {
    for (; made < pieces; made += 1) yield said('x'.repeat(4096))
    yield last
  }
  await using server = await serve('sse', long)
  const socket = ask(server.port)
  socket.pause()
  await once(socket, 'connect')
  const held = await settledCount(() => made)
  assert.ok(held > 0 && held < pieces, `${held} pieces were made while nobody read`)
  let bytes = 0
  socket.on('data', (chunk) => {
    bytes += chunk.length
  })
  socket.resume()
  await once(socket, 'end')
  assert.deepEqual(await server.sent, { status: 200, usage, cancelled: false })
  assert.equal(made, pieces)
  assert.ok(bytes > pieces * 4000)
})

test('a slow reader who goes away while we wait for them ends the work', async () => {
  let made = 0
  async function* endless(): AsyncGenerator<AnswerPiece> {
    for (;;) {
      made += 1
      yield said('x'.repeat(4096))
    }
  }
  await using server = await serve('array', endless)
  const socket = ask(server.port)
  socket.pause()
  await settledCount(() => made)
  socket.destroy()
  const { pieces, ...sent } = await server.sent
  assert.deepEqual(sent, { status: 200, usage: undefined, cancelled: true })
  assert.ok(Number(pieces) > 1 && Number(pieces) <= made)
})

function ask(port: number): Socket {
  const socket = connect(port, '127.0.0.1')
  socket.write('GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n')
  return socket
}

/** The count once it no longer grows: back-pressure has no event on the side that is held back. */
async function settledCount(count: () => number): Promise<number> {
  for (let before = -1; before !== count() || before === 0; ) {
    before = count()
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  return count()
}
