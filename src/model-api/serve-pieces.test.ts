import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type ClientRequest, type IncomingMessage, request } from 'node:http'
import { test } from 'node:test'
import { assertWithin } from '../../test/engines/own-time.ts'
import { type ModelServer, startModelServer } from '../../test/model-api/model-server.ts'
import { createWaitingEngine, type WaitingEngine } from '../../test/model-api/waiting-engine.ts'
import { createWordEngine } from '../../test/model-api/word-engine.ts'
import { sqlite } from '../../test/store/engines.ts'
import type { Decision } from '../auth/decision.ts'
import type { PieceEngine } from '../engines/engine.ts'
import { Failure } from '../failure/failure.ts'
import { migrations } from '../store/migrations.ts'
import type { StoreSchema } from '../store/store.ts'

const hello = JSON.stringify({ contents: [{ parts: [{ text: 'hello there' }] }] })
const long = JSON.stringify({ contents: [{ parts: [{ text: 'hello '.repeat(1000) }] }] })
const embedding = JSON.stringify({ content: { parts: [{ text: 'hello' }] } })

async function post(
  server: ModelServer,
  operation: string,
  payload: string | Buffer,
): Promise<{ readonly status: number; readonly type: string; readonly body: string }> {
  const response = await server.call(await server.keyFor('ann'), {
    method: 'POST',
    url: `/v1beta/models/words:${operation}`,
    headers: { 'content-type': 'application/json' },
    payload,
  })
  return {
    status: response.statusCode,
    type: String(response.headers['content-type']),
    body: response.body,
  }
}

test('one answer comes in three framings', async () => {
  await using store = await sqlite.open<StoreSchema>(migrations)
  await using server = await startModelServer({ store })
  const whole = await post(server, 'generateContent', hello)
  assert.equal(whole.type, 'application/json; charset=UTF-8')
  assert.equal(JSON.parse(whole.body).candidates[0].content.parts[0].text, 'hello there')
  const list = await post(server, 'streamGenerateContent', hello)
  assert.equal(list.type, 'application/json; charset=UTF-8')
  assert.equal(JSON.parse(list.body).length, 2)
  const events = await post(server, 'streamGenerateContent?alt=sse', hello)
  assert.equal(events.type, 'text/event-stream')
  const pieces = events.body.split('\r\n\r\n')
  assert.equal(pieces.pop(), '')
  assert.deepEqual(
    pieces.map((piece) => Object.keys(JSON.parse(piece.replace(/^data: /, ''))).includes('usageMetadata')),
    [false, true],
  )
})

test('a failure before the first byte has its own status in each framing, after it the words of the framing', async () => {
  await using store = await sqlite.open<StoreSchema>(migrations)
  const fails = new Failure('unavailable', 'too busy', { reason: 'overloaded' })
  const error = {
    code: 503,
    message: 'The model is overloaded. Please try again later.',
    status: 'UNAVAILABLE',
  }
  for (const [operation, unframed] of [
    ['generateContent', (body: string): unknown => JSON.parse(body)],
    ['streamGenerateContent', (body: string): unknown => JSON.parse(body)[0]],
    ['streamGenerateContent?alt=sse', (body: string): unknown => JSON.parse(body)],
  ] as const) {
    await using server = await startModelServer({
      store,
      engines: { words: createWaitingEngine({ pieces: 0, fails }) },
    })
    const { status, type, body } = await post(server, operation, hello)
    assert.deepEqual(
      [status, type, unframed(body)],
      [503, 'application/json; charset=UTF-8', { error }],
      operation,
    )
    assert.equal(server.decisions.at(-1)?.reason, 'overloaded')
  }
  await using server = await startModelServer({
    store,
    engines: { words: createWaitingEngine({ pieces: 1, fails }) },
  })
  const list = await post(server, 'streamGenerateContent', hello)
  assert.deepEqual([list.status, JSON.parse(list.body)[1]], [200, { error }])
  const events = await post(server, 'streamGenerateContent?alt=sse', hello)
  assert.ok(events.body.endsWith(`data: ${JSON.stringify({ error })}\r\n\r\n`))
  const { outcome, reason, status } = server.decisions.at(-1) ?? {}
  assert.deepEqual([outcome, reason, status], ['deny', 'overloaded', 200])
})

const badBodies: readonly (readonly [what: string, body: string | Buffer, message: RegExp])[] = [
  ['nothing', '', /^Invalid JSON payload received\./],
  ['no JSON', '{', /^Invalid JSON payload received\./],
  ['text behind the JSON', `${hello}x`, /^Invalid JSON payload received\./],
  ['a list', '[]', /Root element must be a message/],
  ['null', 'null', /Root element must be a message/],
  [
    'bytes that are no UTF-8',
    Buffer.from('{"contents":[{"parts":[{"text":"\xff"}]}]}', 'latin1'),
    /^Invalid JSON payload received\./,
  ],
  [
    'a lone half of a surrogate in UTF-8',
    Buffer.from('7b22ed a0 80223a317d'.replaceAll(' ', ''), 'hex'),
    /Invalid JSON/,
  ],
  ['a deep one', `{"contents":${'['.repeat(100_000)}${']'.repeat(100_000)}}`, /contents/],
]

for (const [what, body, message] of badBodies)
  test(`a body with ${what} is an invalid argument`, async () => {
    await using store = await sqlite.open<StoreSchema>(migrations)
    await using server = await startModelServer({ store })
    const refused = await post(server, 'generateContent', body)
    assert.equal(refused.status, 400)
    assert.match(JSON.parse(refused.body).error.message, message)
    assert.equal(server.decisions.at(-1)?.status, 400)
  })

test('a byte order mark before the JSON is left out', async () => {
  await using store = await sqlite.open<StoreSchema>(migrations)
  await using server = await startModelServer({ store })
  assert.equal((await post(server, 'generateContent', `\u{feff}${hello}`)).status, 200)
})

async function ask(server: ModelServer, operation: string): Promise<ClientRequest> {
  const headers = { 'content-type': 'application/json', 'x-goog-api-key': await server.keyFor('ann') }
  const asked = request(`${server.publicUrl}/v1beta/models/words:${operation}`, { method: 'POST', headers })
  asked.on('error', () => {})
  asked.end(operation === 'embedContent' ? embedding : hello)
  return asked
}

async function leaves(engine: WaitingEngine, operation: string): Promise<ModelServer['decisions']> {
  await using store = await sqlite.open<StoreSchema>(migrations)
  await using server = await startModelServer({ store, engines: { words: engine }, isListening: true })
  const asked = await ask(server, operation)
  if (operation.startsWith('stream')) {
    const [answer]: IncomingMessage[] = await once(asked, 'response')
    answer?.on('error', () => {}).resume()
  } else await engine.began
  asked.destroy()
  await assertWithin(1000, engine.stopped)
  while (server.decisions.length === 0) await new Promise(setImmediate)
  return server.decisions
}

for (const [operation, pieces] of [
  ['generateContent', 0],
  ['generateContent', 2],
  ['streamGenerateContent', 1],
  ['streamGenerateContent?alt=sse', 1],
  ['countTokens', 0],
  ['embedContent', 0],
] as const)
  test(`${operation}: a caller that leaves after ${pieces} pieces stops the engine, and the decision says 499`, async () => {
    const decisions = await leaves(createWaitingEngine({ pieces }), operation)
    assert.deepEqual(
      decisions.map(({ status, reason, outcome, action }) => [status, reason, outcome, action]),
      [[499, 'cancelled', 'allow', operation.replace('?alt=sse', '')]],
    )
    // What was read is counted, also when its reader hangs up before the engine says how much it was.
    const { tokensIn, tokensOut, tokensGuessed } = decisions[0] ?? {}
    assert.deepEqual([tokensIn, tokensOut], [undefined, pieces === 0 ? undefined : pieces])
    // A guess is for the limits alone; counting is free.
    if (operation === 'countTokens') assert.equal(tokensGuessed, undefined)
    else assert.ok(Number(tokensGuessed) >= 'hello'.length / 4 + pieces, `${tokensGuessed}`)
  })

test('a caller that leaves is charged for all that was asked, files and all', async () => {
  await using store = await sqlite.open<StoreSchema>(migrations)
  const engine = { ...createWaitingEngine({ pieces: 1 }), limits: createWordEngine().limits }
  await using server = await startModelServer({ store, engines: { words: engine }, isListening: true })
  const key = await server.keyFor('ann')
  const headers = { 'x-goog-api-key': key, 'content-type': 'text/plain' }
  const uploaded = await fetch(`${server.publicUrl}/upload/v1beta/files?uploadType=media`, {
    method: 'POST',
    headers,
    body: 'word '.repeat(20_000),
  })
  const { file } = JSON.parse(await uploaded.text())
  const leaving = new AbortController()
  const answer = await fetch(`${server.publicUrl}/v1beta/models/words:streamGenerateContent`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({ contents: [{ parts: [{ fileData: { fileUri: file.uri } }] }] }),
    signal: leaving.signal,
  })
  assert.equal(answer.status, 200)
  leaving.abort()
  await assertWithin(1000, engine.stopped)
  const left = (): Decision | undefined => server.decisions.find(({ status }) => status === 499)
  while (left() === undefined) await new Promise(setImmediate)
  const { tokensIn, tokensGuessed = 0 } = left() ?? {}
  assert.equal(tokensIn, undefined)
  assert.ok(tokensGuessed > 25_000 && tokensGuessed < 25_050, `${tokensGuessed}`)
})

test('an answer that breaks off, or ends without its usage, is charged a guess that no record has', async () => {
  await using store = await sqlite.open<StoreSchema>(migrations)
  const silent: PieceEngine = {
    ...createWordEngine(),
    async *generate() {
      const content = { role: 'model', parts: [{ text: 'x'.repeat(4000) }] } as const
      yield { candidates: [{ index: 0, content, finishReason: 'STOP' }] }
    },
  }
  const zeros: PieceEngine = {
    ...silent,
    async *generate(...order) {
      const usageMetadata = { promptTokenCount: 0, totalTokenCount: 0 }
      for await (const piece of silent.generate(...order)) yield { ...piece, usageMetadata }
    },
  }
  const fails = new Failure('unavailable', 'too busy')
  const broken = { ...createWaitingEngine({ pieces: 2, fails }), limits: silent.limits }
  for (const [engine, operation, least, tokensOut] of [
    [silent, 'generateContent', 1000, undefined],
    [silent, 'streamGenerateContent', 1, undefined],
    [zeros, 'streamGenerateContent', 0, undefined],
    [broken, 'streamGenerateContent', 2, 2],
  ] as const) {
    await using server = await startModelServer({ store, engines: { words: engine } })
    assert.equal((await post(server, operation, long)).status, 200)
    const [decision] = server.decisions
    assert.deepEqual([decision?.tokensIn, decision?.tokensOut], [undefined, tokensOut])
    const guessed = Number(decision?.tokensGuessed) - long.length / 4
    assert.ok(guessed >= least && guessed < least + 50, `${operation}: ${guessed}`)
  }
})

test('what an engine has told before its answer breaks off is no guess', async () => {
  await using store = await sqlite.open<StoreSchema>(migrations)
  const engine: PieceEngine = {
    ...createWordEngine(),
    async *generate() {
      const content = { role: 'model', parts: [{ text: 'a' }] } as const
      const usageMetadata = { promptTokenCount: 7, totalTokenCount: 7 }
      yield { candidates: [{ index: 0, content }], usageMetadata }
      yield { candidates: [{ index: 0, content }] }
      throw new Failure('unavailable', 'too busy')
    },
  }
  await using server = await startModelServer({ store, engines: { words: engine } })
  await post(server, 'streamGenerateContent', long)
  const [{ tokensIn, tokensOut, tokensGuessed } = {}] = server.decisions
  assert.deepEqual([tokensIn, tokensOut, tokensGuessed], [7, 2, undefined])
})
