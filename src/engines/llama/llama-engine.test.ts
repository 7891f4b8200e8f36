import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { GenerateOptions } from 'node-llama-cpp'
import { Failure } from '../../failure/failure.ts'
import type { AnswerPiece, GenerateRequest, GenerationConfig } from '../content.ts'
import type { PieceEngine } from '../engine.ts'
import { createLlamaEngine } from './llama-engine.ts'
import type { LoadedModel } from './loaded-model.ts'

interface StandIn {
  readonly engine: PieceEngine
  readonly asked: GenerateOptions[]
  readonly state: { loads: number; disposed: number; running: number; most: number }
}

type Answer = (options: GenerateOptions) => Promise<string>

/** An engine on a stand-in for the package: a model of ten words of context that says what the test wants. */
function engineOn(answer: Answer, waiting = 32): StandIn {
  const asked: GenerateOptions[] = []
  const state = { loads: 0, disposed: 0, running: 0, most: 0 }
  const load = async (): Promise<LoadedModel> => {
    state.loads += 1
    return {
      contextSize: 10,
      countTokens: (history) =>
        history.flatMap((item) => ('text' in item ? item.text : item.response.join(' ')).split(' ')).length,
      grammarFor: async (form) => (form === 'text' ? undefined : { grammar: JSON.stringify(form) }),
      dispose: async () => {
        state.disposed += 1
      },
      chat: {
        chatWrapper: { generateContextState: () => ({ contextText: { tokenize: () => [] } }) },
        generateResponse: async (_history, options) => {
          asked.push(options)
          state.running += 1
          state.most = Math.max(state.most, state.running)
          try {
            return { metadata: { stopReason: await answer(options) } }
          } finally {
            state.running -= 1
          }
        },
      },
    }
  }
  return { engine: createLlamaEngine({ model: 'house', file: 'x.gguf', waiting, load }), asked, state }
}

const hello: Answer = async ({ onResponseChunk }) => {
  onResponseChunk({ segmentType: 'thought', text: 'hmm', tokens: [1, 2] })
  onResponseChunk({ segmentType: undefined, text: 'Hello', tokens: [3] })
  onResponseChunk({ segmentType: undefined, text: ' there', tokens: [4, 5] })
  return 'eogToken'
}

function said(text: string, generationConfig?: GenerationConfig): GenerateRequest {
  const contents = [{ role: 'user', parts: [{ text }] }]
  return generationConfig === undefined ? { contents } : { contents, generationConfig }
}

async function ended(
  engine: PieceEngine,
  request: GenerateRequest,
  signal: AbortSignal = new AbortController().signal,
): Promise<readonly AnswerPiece[]> {
  const pieces: AnswerPiece[] = []
  for await (const piece of engine.generate(request, { signal, requestId: 'r' })) pieces.push(piece)
  return pieces
}

function textOf(pieces: readonly AnswerPiece[]): string {
  return pieces
    .flatMap(({ candidates }) => candidates.flatMap(({ content }) => content?.parts ?? []))
    .map(({ text }) => text)
    .join('|')
}

test('text comes in pieces, the last of which has the reason and true counts', async () => {
  const { engine } = engineOn(hello)
  const pieces = await ended(engine, said('one two three'))
  assert.equal(textOf(pieces), 'Hello| there')
  assert.ok(pieces.every(({ usageMetadata }) => usageMetadata?.promptTokenCount === 3))
  assert.deepEqual(pieces.at(-1), {
    candidates: [{ index: 0, finishReason: 'STOP' }],
    usageMetadata: {
      promptTokenCount: 3,
      candidatesTokenCount: 3,
      thoughtsTokenCount: 2,
      totalTokenCount: 8,
      promptTokensDetails: [{ modality: 'TEXT', tokenCount: 3 }],
    },
  })
})

test('thoughts are told to those who ask for them', async () => {
  const { engine } = engineOn(hello)
  const [first] = await ended(engine, said('Hi', { thinkingConfig: { includeThoughts: true } }))
  assert.deepEqual(first?.candidates[0]?.content?.parts, [{ text: 'hmm', thought: true }])
})

test('sampling, stops, limits and a schema reach the model', async () => {
  const { engine, asked } = engineOn(async () => 'maxTokens')
  const responseSchema = { type: 'OBJECT', properties: { a: { type: 'STRING' } } }
  const pieces = await ended(
    engine,
    said('Hi', {
      temperature: 0.3,
      topP: 0.5,
      topK: 7,
      seed: -1,
      stopSequences: ['END'],
      maxOutputTokens: 4,
      presencePenalty: 1,
      responseMimeType: 'application/json',
      responseSchema,
    }),
  )
  const { signal: _signal, onResponseChunk: _onChunk, ...rest } = asked[0] ?? {}
  assert.deepEqual(rest, {
    temperature: 0.3,
    topP: 0.5,
    topK: 7,
    seed: 4_294_967_295,
    customStopTriggers: ['END'],
    repeatPenalty: { presencePenalty: 1, frequencyPenalty: 0 },
    maxTokens: 4,
    grammar: { grammar: '{"schema":{"type":"object","properties":{"a":{"type":"string"}}}}' },
  })
  assert.equal(pieces.at(-1)?.candidates[0]?.finishReason, 'MAX_TOKENS')
})

test('an answer goes no further than the context, and contents that fill it are refused', async () => {
  const { engine, asked } = engineOn(hello)
  await ended(engine, said('a b c', { maxOutputTokens: 1000 }))
  assert.equal(asked[0]?.maxTokens, 7)
  await assert.rejects(ended(engine, said('a b c d e f g h i j')), { code: 'invalid-request' })
  await ended(engine, said('and the next one has its turn'))
})

const refusals: readonly (readonly [string, Partial<GenerateRequest>])[] = [
  ['contents[0].parts[0].inlineData', { contents: [{ parts: [{ inlineData: {} }] }] }],
  ['request.tools', { tools: [] }],
  ['generationConfig.candidateCount', { generationConfig: { candidateCount: 2 } }],
  ['generationConfig.responseLogprobs', { generationConfig: { responseLogprobs: true } }],
  ['generationConfig.temperature', { generationConfig: { temperature: 3 } }],
  ['generationConfig.responseMimeType', { generationConfig: { responseMimeType: 'text/x.enum' } }],
  ['contents', { contents: [] }],
]
for (const [field, request] of refusals) {
  test(`${field} is refused by its name before the model is loaded`, async () => {
    const { engine, state } = engineOn(hello)
    await assert.rejects(ended(engine, { ...said('Hi'), ...request }), { code: 'invalid-request', field })
    assert.equal(state.loads, 0)
  })
}

test('calls take turns, and too many are refused as overload', async () => {
  const gate = Promise.withResolvers<void>()
  const { engine, state } = engineOn(async () => {
    await gate.promise
    return 'eogToken'
  }, 2)
  const calls = [1, 2, 3, 4].map(() => ended(engine, said('Hi')))
  const refused = await assert.rejects(Promise.all(calls), { code: 'unavailable', reason: 'overloaded' })
  assert.equal(refused, undefined)
  gate.resolve()
  const outcomes = await Promise.allSettled(calls)
  assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 3)
  assert.deepEqual([state.most, state.loads], [1, 1])
})

test('a caller that leaves is answered at once, and the next one waits until the work has ended', async () => {
  const begun = Promise.withResolvers<void>()
  const work = Promise.withResolvers<void>()
  const { engine, asked, state } = engineOn(async ({ signal }) => {
    begun.resolve()
    if (asked.length === 1) await work.promise
    signal.throwIfAborted()
    return 'eogToken'
  })
  const leaving = new AbortController()
  const left = ended(engine, said('Hi'), leaving.signal)
  await begun.promise
  const next = ended(engine, said('Hi'))
  leaving.abort()
  await assert.rejects(left, { name: 'AbortError' })
  assert.equal(asked[0]?.signal.aborted, true)
  assert.equal(asked.length, 1)
  work.resolve()
  await next
  assert.equal(state.most, 1)
})

test('what breaks in the model is our failure, and the next call goes on', async () => {
  const { engine, asked } = engineOn(async (options) => {
    if (asked.length === 1) throw new Error('segmentation fault')
    return hello(options)
  })
  await assert.rejects(
    ended(engine, said('Hi')),
    (error) => error instanceof Failure && error.code === 'internal',
  )
  assert.equal(textOf(await ended(engine, said('Hi'))), 'Hello| there')
})

test('tokens are counted without a generation, and closing gives the memory back', async () => {
  const { engine, asked, state } = engineOn(hello)
  const signal = new AbortController().signal
  assert.deepEqual(await engine.countTokens(said('a b c d'), { signal, requestId: 'r' }), { totalTokens: 4 })
  assert.deepEqual([asked.length, engine.limits.inputTokenLimit], [0, 10])
  await engine.close()
  assert.equal(state.disposed, 1)
})
