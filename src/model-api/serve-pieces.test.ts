import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type ClientRequest, type IncomingMessage, request } from 'node:http'
import { test } from 'node:test'
import { assertWithin } from '../../test/engines/own-time.ts'
import { type ModelServer, startModelServer } from '../../test/model-api/model-server.ts'
import { createWaitingEngine, type WaitingEngine } from '../../test/model-api/waiting-engine.ts'
import { sqlite } from '../../test/store/engines.ts'
import { Failure } from '../failure/failure.ts'
import { migrations } from '../store/migrations.ts'
import type { StoreSchema } from '../store/store.ts'

const hello = JSON.stringify({ contents: [{ parts: [{ text: 'hello there' }] }] })
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
    if (operation.startsWith('stream')) assert.equal(decisions[0]?.tokensOut, pieces)
  })
