import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Engine } from '../../src/engines/engine.ts'
import { Failure } from '../../src/failure/failure.ts'
import { migrations } from '../../src/store/migrations.ts'
import type { StoreSchema } from '../../src/store/store.ts'
import { type HeldRecord, heldRecord } from '../serving/held-record.ts'
import { portOf, type RawConnection, rawConnection } from '../serving/raw-connection.ts'
import { sqlite } from '../store/engines.ts'
import { type ModelServer, startModelServer } from './model-server.ts'
import { createWaitingEngine } from './waiting-engine.ts'
import { createWordEngine } from './word-engine.ts'

interface Sent {
  readonly path: string
  readonly method?: string
  readonly key?: string
  readonly body?: object
  readonly headers?: Readonly<Record<string, string>>
  readonly engine?: Engine
}

const hello = { contents: [{ parts: [{ text: 'hello there' }] }] }
const fails = new Failure('unavailable', 'too busy', { reason: 'overloaded' })
const overloaded = createWaitingEngine({ pieces: 0, fails })
const upload = { 'x-goog-upload-protocol': 'raw', 'content-type': 'text/plain' }

const rows: readonly (readonly [what: string, sent: Sent, answer: RegExp])[] = [
  [
    'a generation',
    { path: '/v1beta/models/words:generateContent', body: hello },
    /^HTTP\/1\.1 200 .*hello there/s,
  ],
  ['a count', { path: '/v1beta/models/words:countTokens', body: hello }, /^HTTP\/1\.1 200 .*totalTokens/s],
  [
    'a failure',
    { path: '/v1beta/models/words:generateContent', body: hello, engine: overloaded },
    /^HTTP\/1\.1 503 .*overloaded/s,
  ],
  [
    'a bad key',
    { path: '/v1beta/models/words:generateContent', body: hello, key: 'nobody' },
    /^HTTP\/1\.1 400 .*API_KEY_INVALID/s,
  ],
  [
    'a model that is not there',
    { path: '/v1beta/models/nope:generateContent', body: hello },
    /^HTTP\/1\.1 404 /,
  ],
  ['a list', { path: '/v1beta/models', method: 'GET' }, /^HTTP\/1\.1 200 .*models\/words/s],
  ['an upload', { path: '/upload/v1beta/files', body: hello, headers: upload }, /^HTTP\/1\.1 200 .*files\//s],
  ['a list for a bad key', { path: '/v1beta/models', method: 'GET', key: 'nobody' }, /^HTTP\/1\.1 400 /],
]

interface Held extends AsyncDisposable {
  readonly record: HeldRecord
  readonly server: ModelServer
  readonly connection: RawConnection
  readonly received: () => string
}

/** The request as it is when its decision was told, and nothing was recorded yet. */
async function hold({ path, method = 'POST', key, body, headers, engine }: Sent): Promise<Held> {
  const record = heldRecord()
  const store = await sqlite.open<StoreSchema>(migrations)
  const server = await startModelServer({
    store,
    isListening: true,
    recorded: record.recorded,
    ...(engine !== undefined && { engines: { words: engine } }),
  })
  const connection = await rawConnection(portOf(server.server.server))
  let received = ''
  connection.socket.on('data', (chunk) => {
    received += chunk
  })
  const text = body === undefined ? '' : JSON.stringify(body)
  const lines = Object.entries({
    host: 'localhost',
    'x-goog-api-key': key ?? (await server.keyFor('ann')),
    connection: 'close',
    ...(body !== undefined && { 'content-type': 'application/json', 'content-length': String(text.length) }),
    ...headers,
  }).map(([name, value]) => `${name}: ${value}\r\n`)
  connection.send(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${text}`)
  await record.told
  await answerOnAnotherConnection(server)
  return {
    record,
    server,
    connection,
    received: () => received,
    [Symbol.asyncDispose]: async () => {
      connection.socket.destroy()
      await server[Symbol.asyncDispose]()
      await store[Symbol.asyncDispose]()
    },
  }
}

/** What was written before it has arrived by then. */
async function answerOnAnotherConnection({ server }: ModelServer): Promise<void> {
  const other = await rawConnection(portOf(server.server))
  other.send('GET / HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n')
  assert.match(await other.closed(), /^HTTP\/1\.1 404 /)
}

for (const [what, sent, answer] of rows) {
  test(`${what}: no byte goes out before the decision is recorded`, async () => {
    await using held = await hold(sent)
    assert.equal(held.received(), '')
    held.record.keep()
    assert.match(await held.connection.closed(), answer)
    assert.equal(held.server.decisions.length, 1)
  })

  test(`${what}: without a record the caller gets 503 and is told to try again`, async () => {
    await using held = await hold(sent)
    held.record.break()
    const text = await held.connection.closed()
    assert.match(text, /^HTTP\/1\.1 503 /)
    assert.match(text, /\r\nretry-after: 1\r\n/i)
    const { error } = JSON.parse(text.slice(text.indexOf('\r\n\r\n')))
    assert.deepEqual([error.code, error.status], [503, 'UNAVAILABLE'])
    assert.match(error.message, /could not be recorded/)
    assert.equal(held.server.decisions.length, 1)
  })
}

for (const [framing, query, end] of [
  ['events', '?alt=sse', /"usageMetadata".*\r\n0\r\n\r\n$/s],
  ['a list', '', /"usageMetadata".*\n\]\r\n0\r\n\r\n$/s],
] as const) {
  const sent = { path: `/v1beta/models/words:streamGenerateContent${query}`, body: hello }

  test(`of a stream of ${framing} the end is held back until the decision is recorded`, async () => {
    await using held = await hold(sent)
    assert.match(await held.connection.until('"usageMetadata"'), /^HTTP\/1\.1 200 /)
    assert.doesNotMatch(held.received(), end)
    held.record.keep()
    assert.match(await held.connection.closed(), end)
    assert.equal(held.server.decisions.length, 1)
  })

  test(`a stream of ${framing} that cannot be recorded is cut before its end`, async () => {
    await using held = await hold(sent)
    held.record.break()
    assert.doesNotMatch(await held.connection.closed(), end)
    assert.equal(held.server.decisions.length, 1)
  })

  test(`a failure in a stream of ${framing} is held back too`, async () => {
    await using held = await hold({ ...sent, engine: createWaitingEngine({ pieces: 1, fails }) })
    assert.doesNotMatch(held.received(), /overloaded/)
    held.record.keep()
    assert.match(await held.connection.closed(), /overloaded.*\r\n0\r\n\r\n$/s)
  })
}

test('a hook that throws is as good as no record', async () => {
  await using store = await sqlite.open<StoreSchema>(migrations)
  await using server = await startModelServer({
    store,
    recorded: () => {
      throw new Error('no disk')
    },
  })
  for (const key of [await server.keyFor('ann'), 'of-nobody'])
    for (const call of [
      { method: 'GET', url: '/v1beta/models' },
      { method: 'POST', url: '/v1beta/models/words:generateContent', payload: hello },
    ] as const)
      assert.equal((await server.call(key, call)).statusCode, 503)
})

test('for want of a record no other model is asked', async () => {
  await using store = await sqlite.open<StoreSchema>(migrations)
  const other = createWordEngine()
  await using server = await startModelServer({
    store,
    fallbacks: [other],
    recorded: () => Promise.reject(new Error('no disk')),
  })
  const call = { method: 'POST', url: '/v1beta/models/words:generateContent', payload: hello } as const
  assert.equal((await server.call(await server.keyFor('ann'), call)).statusCode, 503)
  assert.equal(other.seen.length, 0)
})
