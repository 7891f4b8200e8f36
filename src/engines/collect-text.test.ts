import assert from 'node:assert/strict'
import { after, type TestContext, test } from 'node:test'
import { geminiEngine } from '../../test/engines/wire-calls.ts'
import {
  sendError,
  sendPlain,
  startWireServer,
  usage as usageMetadata,
  type WireExchange,
} from '../../test/engines/wire-upstream-server.ts'
import { createWaitingEngine } from '../../test/model-api/waiting-engine.ts'
import { createWordEngine } from '../../test/model-api/word-engine.ts'
import { Failure, type FailureCode } from '../failure/failure.ts'
import type { TokensUsed } from './answer-text.ts'
import { type CollectedText, collectText, type TextCall, type TextQuestion } from './collect-text.ts'
import type { Engine, WireEngine } from './engine.ts'
import { createStoryEngine } from './story/story-engine.ts'

const story = createStoryEngine({ model: 'tiny' })
after(() => story.close())

function ask(
  question: Partial<TextQuestion> & { readonly engine: Engine },
  call: Partial<TextCall> = {},
): Promise<CollectedText> {
  return collectText(
    { fallbacks: [], prompt: 'Once upon a time', ...question },
    { signal: new AbortController().signal, requestId: 'req-1', ...call },
  )
}

function failing(code: FailureCode): Engine {
  return createWaitingEngine({ pieces: 1, fails: new Failure(code, `it is ${code}`) })
}

async function wire(t: TestContext, serve: (exchange: WireExchange) => void): Promise<WireEngine> {
  const { origin } = await startWireServer(t, serve)
  const engine = geminiEngine(origin)
  t.after(engine.close)
  return engine
}

test('the embedded model writes as much as it may, and says how it ended and what it used', async () => {
  const lengths: number[] = []
  const { text, finishReason, tokensIn, tokensOut, engine } = await ask(
    { engine: story, maxOutputTokens: 12 },
    { onText: (characters) => lengths.push(characters) },
  )
  assert.match(text, /\w/)
  assert.deepEqual([finishReason, tokensIn, tokensOut], ['MAX_TOKENS', 5, 12])
  assert.equal(engine, story)
  assert.ok(lengths.length > 5)
  assert.equal(lengths.at(-1), text.length)
})

test('aborting the signal ends the work of the embedded model within 100 ms', async () => {
  const abort = new AbortController()
  const begun = Promise.withResolvers<void>()
  const asked = ask({ engine: story }, { signal: abort.signal, onText: () => begun.resolve() })
  await begun.promise
  const start = process.cpuUsage()
  abort.abort()
  await assert.rejects(asked, (error: unknown) => error instanceof Failure && error.reason === 'cancelled')
  await story.idle()
  // By the work, not by the clock: a busy machine lets the model wait too.
  assert.ok(process.cpuUsage(start).user < 100_000)
})

test('an upstream of the Gemini wire is asked with one turn of the user', async (t) => {
  let body: unknown
  const engine = await wire(t, (exchange) => {
    body = JSON.parse(exchange.body.toString())
    sendPlain(exchange)
  })
  const answer = await ask({ engine, prompt: 'Say "hi"', maxOutputTokens: 9 })
  assert.deepEqual(answer, { text: 'Hi', finishReason: 'STOP', tokensIn: 7, tokensOut: 8, engine })
  assert.deepEqual(body, {
    contents: [{ role: 'user', parts: [{ text: 'Say "hi"' }] }],
    generationConfig: { maxOutputTokens: 9 },
  })
})

test('without a limit none is sent', async () => {
  const engine = createWordEngine()
  assert.equal((await ask({ engine, prompt: 'a b c' })).text, 'a b c')
  assert.deepEqual(Object.keys(engine.seen[0] ?? {}), ['contents'])
})

for (const code of ['unavailable', 'timeout', 'limit-exceeded', 'internal'] as const)
  test(`after a fault (${code}) the next one that can write text is asked`, async () => {
    const words = createWordEngine()
    const mute: Engine = { ...createWordEngine(), operations: new Set(['embedContent']) }
    const faults: string[] = []
    const { engine } = await ask(
      { engine: failing(code), fallbacks: [mute, failing('timeout'), words, failing('internal')] },
      { onFault: (failure) => faults.push(failure.message) },
    )
    assert.equal(engine, words)
    assert.deepEqual(faults, [`it is ${code}`, 'it is timeout'])
  })

test('a refusal of the request is no fault: nobody else is asked', async () => {
  const words = createWordEngine()
  await assert.rejects(ask({ engine: failing('invalid-request'), fallbacks: [words] }), {
    message: 'it is invalid-request',
  })
  assert.equal(words.seen.length, 0)
})

test('when all fail, the last failure is told', async () => {
  const faults: string[] = []
  const asked = ask(
    { engine: failing('unavailable'), fallbacks: [failing('limit-exceeded')] },
    { onFault: (failure) => faults.push(failure.message) },
  )
  await assert.rejects(asked, { message: 'it is limit-exceeded' })
  assert.deepEqual(faults, ['it is unavailable', 'it is limit-exceeded'])
})

test('one that stands in and refuses is passed over; when none is left, the first failure is told', async () => {
  const words = createWordEngine()
  const engine = failing('unavailable')
  const answer = await ask({ engine, fallbacks: [failing('invalid-request'), words] })
  assert.equal(answer.engine, words)
  const asked = ask({ engine, fallbacks: [failing('timeout'), failing('invalid-request')] })
  await assert.rejects(asked, { message: 'it is unavailable' })
})

for (const [status, isAsked] of [
  [400, false],
  [404, false],
  [429, true],
  [503, true],
] as const)
  test(`after ${status} of an upstream another one is ${isAsked ? '' : 'not '}asked`, async (t) => {
    const engine = await wire(t, (exchange) => sendError(exchange, status))
    const words = createWordEngine()
    await ask({ engine, fallbacks: [words] }).catch(() => undefined)
    assert.equal(words.seen.length, isAsked ? 1 : 0)
  })

interface Counted {
  readonly used: TokensUsed[]
  readonly onUsed: (used: TokensUsed) => void
}

function counted(): Counted {
  const used: TokensUsed[] = []
  return { used, onUsed: ({ tokensIn, tokensOut }) => used.push({ tokensIn, tokensOut }) }
}

test('what an answer used is told once', async (t) => {
  for (const engine of [createWordEngine(), await wire(t, sendPlain)]) {
    const { used, onUsed } = counted()
    const { tokensIn, tokensOut } = await ask({ engine, prompt: 'a b' }, { onUsed })
    assert.deepEqual(used, [{ tokensIn, tokensOut }])
    assert.ok(tokensIn > 0 && tokensOut > 0)
  }
})

test('an engine that breaks off has used a token for each piece, and the one after it what it says', async () => {
  const { used, onUsed } = counted()
  const engine = createWaitingEngine({ pieces: 3, fails: new Failure('unavailable', 'it broke') })
  await ask({ engine, fallbacks: [createWordEngine()], prompt: 'a b' }, { onUsed })
  assert.deepEqual(used, [
    { tokensIn: 0, tokensOut: 3 },
    { tokensIn: 2, tokensOut: 2 },
  ])
})

test('what was used so far is told at the moment of the abort, and nothing after it', async () => {
  const { used, onUsed } = counted()
  const engine = createWaitingEngine({ pieces: 2 })
  const abort = new AbortController()
  const asked = ask({ engine }, { signal: abort.signal, onUsed })
  await engine.began
  assert.deepEqual(used, [])
  abort.abort()
  assert.deepEqual(used, [{ tokensIn: 0, tokensOut: 2 }])
  await assert.rejects(asked)
  assert.equal(used.length, 1)
})

const cutAnswers: readonly (readonly [string, string, 'end' | 'reset' | 'wait'])[] = [
  [
    'a prompt that is blocked',
    JSON.stringify({ promptFeedback: { blockReason: 'SAFETY' }, usageMetadata }),
    'end',
  ],
  ['an answer that is no JSON', `{"usageMetadata":${JSON.stringify(usageMetadata)},"candidates":[`, 'end'],
  ['an answer that breaks off', `{"usageMetadata":${JSON.stringify(usageMetadata)},"candidates":[`, 'reset'],
  ['an answer that is not waited for', `{"usageMetadata":${JSON.stringify(usageMetadata)},"cand`, 'wait'],
]
for (const [what, text, how] of cutAnswers)
  test(`of the Gemini wire, what was used is told once for ${what}`, async (t) => {
    const { used, onUsed } = counted()
    const abort = new AbortController()
    const engine = await wire(t, ({ response }) => {
      response.writeHead(200, { 'content-type': 'application/json' })
      if (how === 'end') response.end(text)
      else response.write(text, () => how === 'reset' && response.socket?.resetAndDestroy())
    })
    const { forward } = engine
    // The bytes have gone by when the sink was told of them.
    const heard: WireEngine['forward'] = (call, sink) =>
      forward(call, {
        head: (head) => sink.head(head),
        end: (usage) => sink.end(usage),
        fail: (failure, usage) => sink.fail(failure, usage),
        data: (bytes) => {
          if (how === 'wait') setImmediate(() => abort.abort())
          return sink.data(bytes)
        },
      })
    await assert.rejects(ask({ engine: { ...engine, forward: heard } }, { signal: abort.signal, onUsed }))
    assert.deepEqual(used, [{ tokensIn: 7, tokensOut: 8 }])
  })

test('an engine that never began has used nothing', async (t) => {
  const { used, onUsed } = counted()
  const engine = await wire(t, (exchange) => sendError(exchange, 503))
  await assert.rejects(ask({ engine, fallbacks: [failing('timeout')] }, { onUsed }))
  assert.deepEqual(used, [{ tokensIn: 0, tokensOut: 1 }])
})

test('a caller that has gone is no reason to ask another one', async () => {
  const waiting = createWaitingEngine({ pieces: 1 })
  const words = createWordEngine()
  const abort = new AbortController()
  const asked = ask({ engine: waiting, fallbacks: [words] }, { signal: abort.signal })
  await waiting.began
  abort.abort()
  await assert.rejects(asked, (error: unknown) => error instanceof Failure && error.reason === 'cancelled')
  assert.equal(words.seen.length, 0)
})
