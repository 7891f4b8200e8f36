import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { test } from 'node:test'
import type { FastifyInstance } from 'fastify'
import { open, plainServer } from '../../test/serving/plain-server.ts'
import type { Principal } from '../auth/principal.ts'
import { Failure } from '../failure/failure.ts'
import type { EventSource } from './event-source.ts'
import { createStreams, type NewStream, type Streams, type StreamsOptions } from './streams.ts'

interface Served extends AsyncDisposable {
  readonly server: FastifyInstance
  readonly streams: Streams
  readonly url: string
  readonly get: (subject: string) => Promise<Response>
}

interface Order extends Partial<StreamsOptions> {
  readonly source?: EventSource
  readonly principal?: Partial<Principal>
  readonly stream?: Partial<NewStream>
}

const silent: EventSource = async function* (signal) {
  if (!signal.aborted) await once(signal, 'abort')
  yield* []
}

/** One route that opens streams, and nothing else. */
async function serve({ source = silent, principal = {}, stream = {}, ...options }: Order): Promise<Served> {
  const { server, log } = plainServer()
  const streams = createStreams({ log, ...options })
  server.get<{ Querystring: { subject: string } }>('/stream', open, async (request, reply) => {
    await streams.open(reply, {
      source,
      principal: principalOf(request.query.subject, principal),
      beforeBegin: () => undefined,
      identify: () => principalOf('x', {}),
      ...stream,
    })
    return reply
  })
  server.addHook('preClose', async () => streams.stop())
  const url = await server.listen({ host: '127.0.0.1', port: 0 })
  return {
    server,
    streams,
    url,
    get: (subject) => fetch(`${url}/stream?subject=${subject}`),
    [Symbol.asyncDispose]: async () => {
      await server.close()
    },
  }
}

function principalOf(subject: string, rest: Partial<Principal>): Principal {
  return {
    issuer: 'https://login.example',
    subject,
    clientId: undefined,
    scopes: new Set(),
    expiresAt: Number.POSITIVE_INFINITY,
    credential: { kind: 'jwt', id: subject },
    dpopKeyThumbprint: undefined,
    ...rest,
  }
}

test('so many streams are open and no more: of one caller 429, of all together 503, until one ends', async () => {
  await using served = await serve({ most: 3, mostEach: 2 })
  const first = await served.get('alice')
  await served.get('alice')
  const own = await served.get('alice')
  assert.deepEqual([own.status, own.headers.get('retry-after')], [429, '5'])
  assert.equal((await served.get('bob')).status, 200)
  assert.equal((await served.get('carol')).status, 503)
  await first.body?.cancel()
  let status = 503
  while (status === 503) status = (await served.get('carol')).status
  assert.equal(status, 200)
})

test('a stream that cannot begin takes no place', async () => {
  const beforeBegin = (): Promise<void> => Promise.reject(new Failure('unavailable', 'not recorded'))
  await using served = await serve({ most: 1, stream: { beforeBegin } })
  for (let round = 0; round < 3; round += 1) {
    const { status, headers } = await served.get('alice')
    assert.deepEqual([status, headers.get('content-type')], [503, 'application/problem+json'])
  }
})

test('a caller that has left before its stream begins takes no place', async () => {
  const left = Promise.withResolvers<void>()
  let isFirst = true
  const beforeBegin = (): Promise<void> => {
    if (!isFirst) return Promise.resolve()
    isFirst = false
    leave.abort()
    return left.promise
  }
  const leave = new AbortController()
  await using served = await serve({ most: 1, stream: { beforeBegin } })
  served.server.server.once('connection', (socket) => void socket.once('close', () => left.resolve()))
  await assert.rejects(fetch(`${served.url}/stream?subject=alice`, { signal: leave.signal }))
  await left.promise
  await new Promise(setImmediate)
  assert.equal((await served.get('bob')).status, 200)
})

test('events go out under their name with their ids, in order', async () => {
  const source: EventSource = async function* () {
    yield [
      { id: 'a', data: '{"n":1}' },
      { id: 'b', data: '{"n":2}' },
    ]
    yield [{ id: 'c', data: '{"n":3}' }]
  }
  await using served = await serve({ source })
  const response = await served.get('alice')
  assert.equal(response.headers.get('content-type'), 'text/event-stream')
  assert.equal(
    await response.text(),
    [1, 2, 3].map((n) => `id: ${'_abc'[n]}\nevent: event\ndata: {"n":${n}}\n\n`).join(''),
  )
})

test('a stream ends when its token does', async () => {
  const expiresAt = Date.now() / 1000 + 0.2
  await using served = await serve({ principal: { expiresAt } })
  assert.equal(await (await served.get('alice')).text(), '')
  assert.ok(Date.now() / 1000 >= expiresAt)
})

test('a stream ends when its token is good no longer', async () => {
  let asked = 0
  const identify = (): Principal => {
    asked += 1
    if (asked < 3) return principalOf('alice', {})
    throw new Failure('unauthenticated', 'the access token was revoked')
  }
  await using served = await serve({ recheckMs: 10, stream: { identify } })
  assert.equal(await (await served.get('alice')).text(), '')
  assert.equal(asked, 3)
})

test('a stream with a token that is bound to a key is short, since its proof cannot be shown again', async () => {
  const identify = (): never => assert.fail('the proof was shown again')
  const principal = { dpopKeyThumbprint: 'thumbprint' }
  await using served = await serve({ recheckMs: 10, provenMs: 100, principal, stream: { identify } })
  const before = performance.now()
  assert.equal(await (await served.get('alice')).text(), '')
  assert.ok(performance.now() - before >= 90)
})

test('a stream ends when the server stops, which waits for nobody', async () => {
  const served = await serve({})
  const response = await served.get('alice')
  const [text] = await Promise.all([response.text(), served.server.close()])
  assert.equal(text, '')
})

test('a source that fails ends its stream, and the next one can begin', async () => {
  const source: EventSource = async function* () {
    yield [{ id: 'a', data: '{}' }]
    throw new Error('the store is gone')
  }
  await using served = await serve({ source, most: 1 })
  for (let round = 0; round < 2; round += 1) assert.match(await (await served.get('alice')).text(), /^id: a/)
})

test('for a reader that does not read, no more is fetched than fits on the way', async () => {
  let fetched = 0
  const data = 'x'.repeat(10_000)
  const ended = Promise.withResolvers<void>()
  const source: EventSource = async function* (signal) {
    try {
      for (; !signal.aborted; fetched += 1) {
        yield [{ id: 'a', data }]
        await new Promise(setImmediate)
      }
    } finally {
      ended.resolve()
    }
  }
  await using served = await serve({ source })
  const socket = connect({ host: '127.0.0.1', port: Number(new URL(served.url).port) })
  await once(socket, 'connect')
  socket.pause()
  socket.write(`GET /stream?subject=alice HTTP/1.1\r\nHost: ${new URL(served.url).host}\r\n\r\n`)
  let before = -1
  while (fetched === 0 || fetched > before) {
    before = fetched
    // What is not fetched in so many turns of the loop is not going to be.
    for (let turn = 0; turn < 200; turn += 1) await new Promise(setImmediate)
  }
  assert.ok(fetched < 2000, `${fetched} portions were fetched`)
  socket.destroy()
  await ended.promise
})
