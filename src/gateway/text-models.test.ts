import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createWaitingEngine } from '../../test/model-api/waiting-engine.ts'
import { createWordEngine } from '../../test/model-api/word-engine.ts'
import { recordingLog } from '../../test/serving/plain-server.ts'
import type { Principal } from '../auth/principal.ts'
import type { Engine } from '../engines/engine.ts'
import { Failure } from '../failure/failure.ts'
import type { Limiter } from '../limits/limiter.ts'
import type { TextOrderCall } from '../mcp/text-models.ts'
import { createModelTable } from '../model-api/model-table.ts'
import { createTokenCodec } from '../paging/token-codec.ts'
import { createTextModels } from './text-models.ts'

const { log, lines } = recordingLog()
const tokens = createTokenCodec({ secrets: ['a secret of the tests, 32 characters'] })
const words = createWordEngine()
const broken = createWaitingEngine({
  pieces: 0,
  fails: new Failure('unavailable', 'it is down', { cause: new Error('the cause') }),
})
const { limits: roomy } = words
const breaking = {
  ...createWaitingEngine({ pieces: 3, fails: new Failure('unavailable', 'it broke') }),
  limits: roomy,
}
const waiting = { ...createWaitingEngine({ pieces: 2 }), limits: roomy }
const silent = { ...createWaitingEngine({ pieces: 0 }), limits: roomy }
const mute: Engine = { ...createWordEngine(), operations: new Set(['embedContent']) }
const table = createModelTable(
  [
    { name: 'words', engine: words, fallbacks: [] },
    { name: 'mute', engine: mute, fallbacks: [] },
    { name: 'broken', engine: broken, fallbacks: [words] },
    { name: 'alone', engine: broken, fallbacks: [] },
    { name: 'breaks', engine: breaking, fallbacks: [] },
    { name: 'waits', engine: waiting, fallbacks: [] },
    { name: 'thinks', engine: silent, fallbacks: [] },
  ],
  { 'gemini-*': 'words', 'embedding-*': 'mute' },
)
const charged: unknown[][] = []
const limits = {
  target: (...[{ subject }, { name }]: Parameters<Limiter['target']>) => {
    if (subject === 'over') throw new Failure('limit-exceeded', 'the limit of tokens is reached')
    charged.push(['asked', name])
    return undefined
  },
  spend: (...[, target, used]: Parameters<Limiter['spend']>) => void charged.push([target?.name, used]),
}
const models = createTextModels({ models: table, tokens }, { log, limits })
const principal: Principal = {
  issuer: 'https://login.example',
  subject: 'ann',
  clientId: undefined,
  scopes: new Set(),
  expiresAt: 0,
  credential: { kind: 'jwt', id: 'a' },
  dpopKeyThumbprint: undefined,
}
const call: TextOrderCall = {
  principal,
  signal: new AbortController().signal,
  requestId: 'req-1',
  onText: () => undefined,
  used: () => undefined,
}

test('models that write text are listed by name, with their version and limits', () => {
  assert.deepEqual(
    models.all.map(({ name }) => name),
    ['alone', 'breaks', 'broken', 'thinks', 'waits', 'words'],
  )
  const { generate: _, ...listed } = models.all[5] ?? {}
  assert.deepEqual(listed, {
    name: 'words',
    version: 'words-1',
    inputTokenLimit: 100_000,
    outputTokenLimit: 100_000,
  })
})

test('a model is found by name and by alias, and only if it writes text', () => {
  const found = ['words', 'gemini-9', 'mute', 'embedding-1', 'other', ''].map(
    (name) => models.find(name)?.name,
  )
  assert.deepEqual(found, ['words', 'words', undefined, undefined, undefined, undefined])
})

test('the answer names the model that gave it, which may be a fallback; the fault is logged', async () => {
  lines.length = 0
  const answer = await models.find('broken')?.generate({ prompt: 'a b' }, call)
  assert.deepEqual(answer, { text: 'a b', model: 'words', finishReason: 'STOP', tokensIn: 2, tokensOut: 2 })
  assert.deepEqual(
    lines.map(({ level, msg, model, request_id }) => [level, msg, model, request_id]),
    [['warn', 'a model did not answer a tool', 'broken', 'req-1']],
  )
  assert.match(JSON.stringify(lines[0]), /the cause/)
})

test('a text counts against the limits of the model, as a call of the model API does', async () => {
  charged.length = 0
  await models.find('gemini-9')?.generate({ prompt: 'a b' }, call)
  assert.deepEqual(charged, [
    ['asked', 'words'],
    ['words', 4],
  ])
  const over = { ...call, principal: { ...principal, subject: 'over' } }
  await assert.rejects(async () => models.find('words')?.generate({ prompt: 'a' }, over), {
    code: 'limit-exceeded',
  })
})

test('what a model has used is charged and told once, also when it breaks off or nobody waits', async () => {
  const told: unknown[] = []
  const used = (...tokens: readonly number[]): void => void told.push(tokens)
  const abort = new AbortController()
  const thinking = new AbortController()
  const order = { prompt: 'a b '.repeat(1000) }
  charged.length = 0
  await assert.rejects(async () => models.find('breaks')?.generate(order, { ...call, used }))
  const asked = models.find('waits')?.generate(order, { ...call, used, signal: abort.signal })
  await waiting.began
  abort.abort()
  await assert.rejects(async () => asked, { reason: 'cancelled' })
  const unanswered = models.find('thinks')?.generate(order, { ...call, used, signal: thinking.signal })
  await silent.began
  thinking.abort()
  await assert.rejects(async () => unanswered, { reason: 'cancelled' })
  // What was read is guessed, as neither could say it; only what is known is told.
  assert.deepEqual(charged, [
    ['asked', 'breaks'],
    ['breaks', 1000 + 3],
    ['asked', 'waits'],
    ['waits', 1000 + 2],
    ['asked', 'thinks'],
    ['thinks', 1000],
  ])
  assert.deepEqual(told, [
    [0, 3],
    [0, 2],
  ])
})

test('a model that cannot answer fails in words for the caller', async () => {
  const asked = models.find('alone')?.generate({ prompt: 'a' }, call)
  await assert.rejects(async () => asked, { code: 'unavailable', message: 'it is down' })
})
