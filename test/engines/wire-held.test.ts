import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { type HeldRecord, heldRecord } from '../serving/held-record.ts'
import { type RawConnection, rawConnection } from '../serving/raw-connection.ts'
import { type ModelGateway, startModelGateway, streamPath, wireModel } from './wire-gateway.ts'
import {
  event,
  openStream,
  plainAnswer,
  sendError,
  sendPlain,
  startWireServer,
  type WireExchange,
} from './wire-upstream-server.ts'

interface Held {
  readonly gateway: ModelGateway
  readonly record: HeldRecord
  readonly connection: RawConnection
  readonly received: () => string
}

interface Upstream {
  readonly serve: (exchange: WireExchange, goOn: Promise<void>) => void
  /** What has come through before the upstream goes on. */
  readonly first?: string
  readonly path?: string
}

/** A call as it is when its decision was told, and nothing was recorded yet. */
async function hold(
  t: TestContext,
  { serve, first, path = '/v1beta/models/front:generateContent' }: Upstream,
): Promise<Held> {
  const record = heldRecord()
  const goOn = Promise.withResolvers<void>()
  const server = await startWireServer(t, (exchange) => serve(exchange, goOn.promise))
  const gateway = await startModelGateway(t, { models: [wireModel(server.origin)] }, record.recorded)
  const connection = await rawConnection(gateway.port)
  t.after(() => connection.socket.destroy())
  let received = ''
  connection.socket.on('data', (chunk) => {
    received += chunk
  })
  connection.send(
    `POST ${path} HTTP/1.1\r\nhost: gate.example\r\nx-goog-api-key: ${gateway.key}\r\nconnection: close\r\ncontent-type: application/json\r\ncontent-length: 15\r\n\r\n{"contents":[]}`,
  )
  if (first !== undefined) await connection.until(first)
  goOn.resolve()
  await record.told
  await answerOnAnotherConnection(gateway)
  return { gateway, record, connection, received: () => received }
}

/** What was written before it has arrived by then. */
async function answerOnAnotherConnection({ port }: ModelGateway): Promise<void> {
  const other = await rawConnection(port)
  other.send('GET /healthz HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n')
  assert.match(await other.closed(), /^HTTP\/1\.1 200 /)
}

const atOnce: readonly (readonly [what: string, upstream: Upstream, answer: RegExp])[] = [
  ['an answer that came at once', { serve: (exchange) => sendPlain(exchange) }, /^HTTP\/1\.1 200 .*"Hi"/s],
  [
    'a refusal of the upstream',
    { serve: (exchange) => sendError(exchange, 429) },
    /^HTTP\/1\.1 429 .*a 429/s,
  ],
]

for (const [what, upstream, answer] of atOnce) {
  test(`${what}: no byte goes out before the decision is recorded`, async (t) => {
    const { record, connection, received, gateway } = await hold(t, upstream)
    assert.equal(received(), '')
    record.keep()
    assert.match(await connection.closed(), answer)
    assert.equal(gateway.decisions.length, 1)
  })

  test(`${what}: without a record the caller gets 503`, async (t) => {
    const { record, connection, gateway } = await hold(t, upstream)
    record.break()
    assert.match(await connection.closed(), /^HTTP\/1\.1 503 .*could not be recorded/s)
    assert.equal(gateway.decisions.length, 1)
  })
}

const half = plainAnswer.length / 2
const inPieces: readonly (readonly [what: string, upstream: Upstream, end: RegExp])[] = [
  [
    'an answer of known length',
    {
      first: plainAnswer.slice(0, half),
      serve: ({ response }, goOn) => {
        response.writeHead(200, { 'content-type': 'application/json', 'content-length': plainAnswer.length })
        response.write(plainAnswer.slice(0, half))
        void goOn.then(() => response.end(plainAnswer.slice(half)))
      },
    },
    /"modelVersion":"up-1"\}$/,
  ],
  [
    'an answer of unknown length',
    {
      first: plainAnswer.slice(0, half),
      serve: ({ response }, goOn) => {
        response.writeHead(200, { 'content-type': 'application/json' })
        response.write(plainAnswer.slice(0, half))
        void goOn.then(() => response.end(plainAnswer.slice(half)))
      },
    },
    /"modelVersion":"up-1"\}\r\n0\r\n\r\n$/,
  ],
  [
    'a stream',
    {
      path: streamPath,
      first: '"one"',
      serve: (exchange, goOn) => {
        const stream = openStream(exchange)
        stream.write(event('one'))
        void goOn.then(() => stream.end(event('two')))
      },
    },
    /"two".*\r\n0\r\n\r\n$/s,
  ],
  [
    'a stream that breaks between two events',
    {
      path: streamPath,
      first: '"one"',
      serve: (exchange, goOn) => {
        const stream = openStream(exchange)
        stream.write(event('one'))
        void goOn.then(() => stream.destroy())
      },
    },
    /data: \{"error":.*\r\n0\r\n\r\n$/s,
  ],
]

for (const [what, upstream, end] of inPieces) {
  test(`of ${what} the end is held back until the decision is recorded`, async (t) => {
    const { record, connection, received, gateway } = await hold(t, upstream)
    assert.doesNotMatch(received(), end)
    record.keep()
    assert.match(await connection.closed(), end)
    assert.equal(gateway.decisions.length, 1)
  })

  test(`${what} that cannot be recorded is cut before its end`, async (t) => {
    const { record, connection } = await hold(t, upstream)
    record.break()
    const text = await connection.closed()
    assert.match(text, /^HTTP\/1\.1 200 /)
    assert.doesNotMatch(text, end)
  })
}
