import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { modelClient } from '../../src/client/models/model-client.ts'
import { ModelError } from '../../src/client/models/model-error.ts'
import { walkEnd } from '../../src/client/walk-checks.ts'
import { Failure } from '../../src/failure/failure.ts'
import { createLog } from '../../src/log/log.ts'
import { openStore } from '../../src/store/open-store.ts'
import { startModelServer } from '../model-api/model-server.ts'
import { createWaitingEngine } from '../model-api/waiting-engine.ts'
import { createWordEngine } from '../model-api/word-engine.ts'
import { drain } from './cut-list.ts'

const store = await openStore('sqlite::memory:', { log: createLog({ level: 'silent' }), directory: '.' })
const waiting = createWaitingEngine({ pieces: 2 })
const full = new Failure('unavailable', 'no room', { reason: 'overloaded', retryAfterSeconds: 1 })
const gateway = await startModelServer({
  store,
  engines: {
    words: createWordEngine(),
    waiting,
    breaking: createWaitingEngine({ pieces: 1, fails: full }),
  },
  isListening: true,
})
after(async () => {
  await gateway[Symbol.asyncDispose]()
  await store.close()
})
const baseUrl = gateway.publicUrl
const apiKey = await gateway.keyFor('ada')
const client = modelClient({ baseUrl, apiKey })

test('a text is generated, and counted without being generated', async () => {
  const answer = await client.generate('words', 'one two three')
  assert.equal(answer.text, 'one two three')
  assert.equal(answer.candidates[0]?.finishReason, 'STOP')
  assert.equal(answer.usageMetadata?.totalTokenCount, 6)
  assert.equal((await client.countTokens('words', 'one two three')).totalTokens, 3)
})

test('a conversation with an instruction is generated, and counted as a whole', async () => {
  const request = {
    systemInstruction: 'be brief',
    contents: [
      { role: 'user', parts: [{ text: 'one' }] },
      { role: 'model', parts: [{ text: 'two' }] },
      { role: 'user', parts: [{ text: 'three' }] },
    ],
    generationConfig: { maxOutputTokens: 9 },
  }
  assert.equal((await client.generate('words', request)).text, 'be brief one two three')
  assert.equal((await client.countTokens('words', request)).totalTokens, 5)
})

test('a stream gives pieces, of which the last says why it ended', async () => {
  const pieces = await drain(client.stream('words', 'one two'))
  assert.equal(pieces.map(({ text }) => text).join(''), 'one two')
  assert.equal(pieces.at(-1)?.candidates[0]?.finishReason, 'STOP')
})

test('who leaves a stream stops the engine', async () => {
  for await (const { text } of client.stream('waiting', 'go')) {
    assert.equal(text, 'a')
    break
  }
  await waiting.stopped
})

test('an engine that breaks in the middle of a stream is a ModelError after what came before', async () => {
  const texts: string[] = []
  await assert.rejects(
    async () => {
      for await (const { text } of client.stream('breaking', 'go')) texts.push(text)
    },
    (error: unknown) => error instanceof ModelError && error.code === 'UNAVAILABLE' && error.status === 503,
  )
  assert.deepEqual(texts, ['a'])
})

test('the models are walked page by page, and one can be asked for', async () => {
  const walking = client.models({ pageSize: 2, prefetch: true })
  assert.deepEqual(
    (await drain(walking)).map(({ name }) => name),
    ['models/breaking', 'models/waiting', 'models/words'],
  )
  assert.equal(walking.position, walkEnd)
  assert.equal((await client.model('words')).version, 'words-1')
})

test('the same works on the paths of the enterprise platform, with a key', async () => {
  const vertex = modelClient({ baseUrl, apiKey, vertexai: true, project: 'demo', location: 'global' })
  assert.equal((await vertex.generate('words', 'one')).text, 'one')
  const counted = await vertex.countTokens('words', { contents: 'one', systemInstruction: 'two' })
  assert.equal(counted.totalTokens, 2)
  assert.equal((await drain(vertex.models()))[0]?.name, 'publishers/google/models/breaking')
})

test('both variables set, the key of the second vendor is the one that is sent', async () => {
  const env = { GOOGLE_API_KEY: apiKey, GEMINI_API_KEY: 'wrong', GOOGLE_GEMINI_BASE_URL: baseUrl }
  const found = modelClient({ env })
  assert.equal((await found.generate('words', 'one')).text, 'one')
  assert.deepEqual(found.identity, {
    credential: 'api-key',
    from: 'GOOGLE_API_KEY',
    ignored: ['GEMINI_API_KEY'],
    platform: 'gemini',
    baseUrl: `${baseUrl}/`,
    project: undefined,
    location: undefined,
  })
})

for (const [claim, call, expected] of [
  [
    'a wrong key',
    () => modelClient({ baseUrl, apiKey: 'a-wrong-key' }).generate('words', 'hi'),
    { code: 'INVALID_ARGUMENT', status: 400, reason: 'API_KEY_INVALID' },
  ],
  [
    'a wrong token',
    () => modelClient({ baseUrl, accessToken: 'a-wrong-token' }).generate('words', 'hi'),
    { code: 'UNAUTHENTICATED', status: 401 },
  ],
  ['an unknown model', () => client.generate('nope', 'hi'), { code: 'NOT_FOUND', status: 404 }],
  [
    'a request without contents',
    () => client.generate('words', { contents: [] }),
    { code: 'INVALID_ARGUMENT', status: 400 },
  ],
  [
    'a stream of an unknown model',
    () => drain(client.stream('nope', 'hi')),
    { code: 'NOT_FOUND', status: 404 },
  ],
  ['one model that is not there', () => client.model('nope'), { code: 'NOT_FOUND', status: 404 }],
] as const)
  test(`${claim} is a ModelError with the server's words`, async () => {
    await assert.rejects(call, (error: unknown) => {
      assert.ok(error instanceof ModelError, String(error))
      for (const [name, value] of Object.entries(expected))
        assert.equal(Reflect.get(error, name), value, name)
      assert.doesNotMatch(error.message, /a-wrong-/)
      return true
    })
  })
