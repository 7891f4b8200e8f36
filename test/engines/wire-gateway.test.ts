import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { rawConnection } from '../serving/raw-connection.ts'
import { assertWithin } from './own-time.ts'
import { upstreamKey } from './wire-calls.ts'
import { callModel, openCall, startModelGateway, streamPath, wholeOf, wireModel } from './wire-gateway.ts'
import {
  event,
  openStream,
  plainAnswer,
  sendError,
  sendPlain,
  startWireServer,
} from './wire-upstream-server.ts'

test('an answer comes through byte for byte, and its decision tells the usage once', async (t) => {
  const server = await startWireServer(t, sendPlain)
  const gateway = await startModelGateway(t, { models: [wireModel(server.origin)] })
  const body = '{"contents":[], "brandNew": {"x": 1}}'
  const { status, text, headers } = await callModel(gateway, { body })
  assert.deepEqual([status, text], [200, plainAnswer])
  assert.equal(headers['content-type'], 'application/json; charset=UTF-8')
  assert.equal(server.requests[0]?.body.toString(), body)
  const { outcome, reason, status: told, tokensIn, tokensOut, target, action } = await gateway.decision()
  assert.deepEqual(
    { outcome, reason, told, tokensIn, tokensOut, target, action },
    {
      outcome: 'allow',
      reason: 'ok',
      told: 200,
      tokensIn: 7,
      tokensOut: 8,
      target: 'front',
      action: 'generateContent',
    },
  )
  assert.equal(gateway.decisions.length, 1)
})

test('a body for an upstream goes on as it is, up to as many values as one that is read here', async (t) => {
  const server = await startWireServer(t, sendPlain)
  const gateway = await startModelGateway(t, { models: [wireModel(server.origin)] })
  const bodyOf = (values: number): string => ` {"contents":[${'{}, '.repeat(values - 4)}{}], "new": ""}\n`
  assert.equal((await callModel(gateway, { body: bodyOf(200_000) })).status, 200)
  assert.equal(server.requests[0]?.body.toString(), bodyOf(200_000))
  const { status, text } = await callModel(gateway, { body: bodyOf(200_001) })
  assert.equal(status, 400)
  assert.match(text, /It may hold at most 200000 values\./)
  assert.equal(server.requests.length, 1)
})

test("nothing of the caller's headers, cookies or query reaches the upstream, and its headers do not come back", async (t) => {
  const server = await startWireServer(t, (exchange) => {
    exchange.response.setHeader('set-cookie', 'upstream=1').setHeader('server', 'secret-upstream')
    sendPlain(exchange)
  })
  const gateway = await startModelGateway(t, { models: [wireModel(server.origin)] })
  const { headers } = await callModel(gateway, {
    path: '/v1beta/models/front:generateContent?fields=candidates&alt=json',
    headers: {
      cookie: 'a=b',
      'user-agent': 'me',
      'x-forwarded-for': '1.2.3.4',
      'x-goog-user-project': 'mine',
    },
  })
  const [request] = server.requests
  assert.equal(request?.path, '/v1beta/models/up:generateContent')
  assert.deepEqual(Object.keys(request?.headers ?? {}).toSorted(), [
    'accept-encoding',
    'connection',
    'content-length',
    'content-type',
    'host',
    'x-goog-api-key',
  ])
  assert.equal(request?.headers['x-goog-api-key'], upstreamKey)
  assert.deepEqual([headers['set-cookie'], headers.server], [undefined, undefined])
})

test('the head of a stream and each event go on at once', async (t) => {
  const steps = [Promise.withResolvers<void>(), Promise.withResolvers<void>()] as const
  const server = await startWireServer(t, (exchange) => {
    const response = openStream(exchange)
    response.flushHeaders()
    void steps[0].promise.then(() => response.write(event('one')))
    void steps[1].promise.then(() => response.end(event('two')))
  })
  const gateway = await startModelGateway(t, { models: [wireModel(server.origin)] })
  const answer = await openCall(gateway, { path: streamPath })
  const { 'content-type': type, 'x-accel-buffering': buffering } = answer.headers
  assert.deepEqual([type, buffering], ['text/event-stream', 'no'])
  const ended = once(answer, 'end')
  steps[0].resolve()
  const [first] = await once(answer, 'data')
  assert.equal(String(first), event('one'))
  steps[1].resolve()
  const [second] = await once(answer, 'data')
  assert.equal(String(second), event('two'))
  await ended
})

test('a caller that reads slowly slows the upstream down, and loses nothing', async (t) => {
  const total = 64 * 1024 * 1024
  const block = Buffer.alloc(65_536, 'x')
  let sent = 0
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
  const gateway = await startModelGateway(t, { models: [wireModel(server.origin)] })
  const answer = await openCall(gateway, { path: streamPath })
  answer.pause()
  // Until nothing more is taken from the upstream.
  for (let before = -1; before !== sent || sent === 0; await delay(300)) before = sent
  assert.ok(sent < 24 * 1024 * 1024, `${sent} bytes are in flight`)
  let received = 0
  for await (const chunk of answer) received += chunk.length
  assert.equal(received, total)
})

for (const [status, code] of [
  [401, 503],
  [403, 503],
  [302, 503],
] as const) {
  test(`a ${status} from upstream is a ${code} that does not blame the caller`, async (t) => {
    const server = await startWireServer(t, (exchange) => sendError(exchange, status))
    const gateway = await startModelGateway(t, { models: [wireModel(server.origin)] })
    const answer = await callModel(gateway)
    assert.equal(answer.status, code)
    assert.equal(JSON.parse(answer.text).error.status, 'UNAVAILABLE')
    assert.doesNotMatch(answer.text, /it is a|AIza/)
    assert.equal((await gateway.decision()).reason, 'upstream_refused')
  })
}

test('a 429 is handed on with its body and its time to wait', async (t) => {
  const server = await startWireServer(t, (exchange) => {
    exchange.response.setHeader('retry-after', '36')
    sendError(exchange, 429)
  })
  const gateway = await startModelGateway(t, { models: [wireModel(server.origin)] })
  const { status, headers, text } = await callModel(gateway)
  assert.deepEqual([status, headers['retry-after']], [429, '36'])
  assert.match(text, /it is a 429/)
  assert.equal((await gateway.decision()).status, 429)
})

test('an upstream that is late or broken before the first byte is said so in the form of the API', async (t) => {
  const late = await startWireServer(t, () => undefined)
  const broken = await startWireServer(t, ({ response }) => response.socket?.resetAndDestroy())
  const gateway = await startModelGateway(t, {
    models: [
      wireModel(late.origin, { name: 'late', timeouts: { firstByteSeconds: 1 } }),
      wireModel(broken.origin, { name: 'broken', retries: 0 }),
    ],
  })
  const first = await callModel(gateway, { path: '/v1beta/models/late:generateContent' })
  const second = await callModel(gateway, { path: '/v1beta/models/broken:streamGenerateContent' })
  assert.deepEqual([first.status, JSON.parse(first.text).error.status], [504, 'DEADLINE_EXCEEDED'])
  assert.deepEqual([second.status, JSON.parse(second.text)[0].error.status], [503, 'UNAVAILABLE'])
  assert.deepEqual([late.requests.length, broken.requests.length], [1, 1])
})

test('a stream that breaks between two events ends with an event that says so', async (t) => {
  const server = await startWireServer(t, (exchange) =>
    openStream(exchange).write(event('one'), () => exchange.response.socket?.resetAndDestroy()),
  )
  const gateway = await startModelGateway(t, { models: [wireModel(server.origin)] })
  const { text, isComplete } = await callModel(gateway, { path: streamPath })
  const [first, second = '', rest] = text.split('\r\n\r\n')
  assert.deepEqual([`${first}\r\n\r\n`, rest, isComplete], [event('one'), '', true])
  assert.equal(JSON.parse(second.slice(6)).error.status, 'UNAVAILABLE')
  const { reason, tokensOut } = await gateway.decision()
  assert.deepEqual([reason, tokensOut, server.requests.length], ['upstream_failed', 8, 1])
})

test('a stream that breaks inside an event, even after a line of it, is cut', async (t) => {
  for (const half of ['data: {"candi', 'data: {}\r\n', 'data: {}\n']) {
    const server = await startWireServer(t, (exchange) =>
      openStream(exchange).write(event('one') + half, () => exchange.response.socket?.resetAndDestroy()),
    )
    const gateway = await startModelGateway(t, { models: [wireModel(server.origin)] })
    const { text, isComplete } = await callModel(gateway, { path: streamPath })
    assert.deepEqual([text.includes('"error"'), isComplete], [false, false], half)
  }
})

test('a stream that ends inside an event goes on as it is, and the decision says so', async (t) => {
  const server = await startWireServer(t, (exchange) =>
    openStream(exchange).end(`${event('one')}data: {"can`),
  )
  const gateway = await startModelGateway(t, { models: [wireModel(server.origin)] })
  const { text, isComplete } = await callModel(gateway, { path: streamPath })
  assert.deepEqual([text, isComplete], [`${event('one')}data: {"can`, true])
  const { reason, tokensOut } = await gateway.decision()
  assert.deepEqual([reason, tokensOut], ['upstream_garbage', 8])
})

test('a whole answer and a list that break are cut', async (t) => {
  const server = await startWireServer(t, ({ response }) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    response.write('[{"half":', () => response.socket?.resetAndDestroy())
  })
  const gateway = await startModelGateway(t, { models: [wireModel(server.origin)] })
  for (const operation of ['generateContent', 'streamGenerateContent']) {
    const { text, isComplete } = await callModel(gateway, { path: `/v1beta/models/front:${operation}` })
    assert.deepEqual([text, isComplete], ['[{"half":', false])
  }
})

test('a caller that leaves before the answer ends the call upstream within 100 ms, and is told as 499', async (t) => {
  const server = await startWireServer(t, () => undefined)
  const gateway = await startModelGateway(t, { models: [wireModel(server.origin)] })
  const connection = await rawConnection(gateway.port)
  connection.send(
    `POST /v1beta/models/front:generateContent HTTP/1.1\r\nhost: gate.example\r\nx-goog-api-key: ${gateway.key}\r\n` +
      'content-type: application/json\r\ncontent-length: 2\r\n\r\n{}',
  )
  await server.reaches(() => server.requests.length === 1)
  connection.socket.destroy()
  const left = server.reaches(({ answering }) => answering === 0)
  await assertWithin(100, left)
  const { status, reason, tokensIn, tokensGuessed } = await gateway.decision()
  assert.deepEqual([status, reason, tokensIn, tokensGuessed], [499, 'cancelled', undefined, 1])
  await server.reaches(({ sockets }) => sockets === 0)
})

for (const [operation, written] of [
  ['generateContent', 100],
  ['streamGenerateContent?alt=sse', 1],
  ['embedContent', 0],
  ['countTokens', undefined],
] as const)
  test(`${operation}: an answer that does not say what it used is charged a guess`, async (t) => {
    const server = await startWireServer(t, ({ response }) => {
      const type = operation.endsWith('sse') ? 'text/event-stream' : 'application/json'
      response.writeHead(200, { 'content-type': type }).end(`data: ${'x'.repeat(390)}\r\n\r\n`)
    })
    const gateway = await startModelGateway(t, { models: [wireModel(server.origin)] })
    const body = JSON.stringify({ contents: [{ parts: [{ text: 'x'.repeat(1000) }] }] })
    assert.equal((await callModel(gateway, { path: `/v1beta/models/front:${operation}`, body })).status, 200)
    const { tokensIn, tokensOut, tokensGuessed } = await gateway.decision()
    const guess = written === undefined ? undefined : Math.ceil(body.length / 4) + written
    assert.deepEqual([tokensIn, tokensOut, tokensGuessed], [undefined, undefined, guess])
  })

test('a caller that leaves in the middle of a stream ends it upstream within 100 ms, and what was used is told', async (t) => {
  const server = await startWireServer(t, (exchange) => openStream(exchange).write(event('one')))
  const gateway = await startModelGateway(t, { models: [wireModel(server.origin)] })
  const answer = await openCall(gateway, { path: streamPath })
  await once(answer, 'data')
  answer.destroy()
  const left = server.reaches(({ answering }) => answering === 0)
  await assertWithin(100, left)
  const { status, reason, outcome, tokensIn, tokensOut } = await gateway.decision()
  assert.deepEqual([status, reason, outcome, tokensIn, tokensOut], [499, 'cancelled', 'allow', 7, 8])
  await server.reaches(({ sockets }) => sockets === 0)
})

test('a hundred callers that leave at every moment leave no connection upstream, and a decision each', async (t) => {
  const server = await startWireServer(t, (exchange) => {
    const response = openStream(exchange)
    const timer = setInterval(() => response.write(event('x')), 5)
    response.once('close', () => clearInterval(timer))
  })
  const gateway = await startModelGateway(t, { models: [wireModel(server.origin)] })
  await Promise.all(
    Array.from({ length: 100 }, async (_, at) => {
      const answer = await openCall(gateway, { path: streamPath })
      await delay(at % 20)
      answer.destroy()
    }),
  )
  await gateway.decision(99)
  await server.reaches(({ answering, sockets }) => answering === 0 && sockets === 0)
  assert.equal(gateway.decisions.length, 100)
  assert.ok(gateway.decisions.every(({ status }) => status === 499))
})

test('an answer that is whole before the caller has read it is no cancelled one', async (t) => {
  const server = await startWireServer(t, sendPlain)
  const gateway = await startModelGateway(t, { models: [wireModel(server.origin)] })
  const answer = await openCall(gateway)
  assert.equal((await gateway.decision()).status, 200)
  assert.equal((await wholeOf(answer)).text, plainAnswer)
})
