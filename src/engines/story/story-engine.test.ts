import assert from 'node:assert/strict'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { after, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { Failure } from '../../failure/failure.ts'
import type { AnswerPiece, GenerateRequest, GenerationConfig, UsageMetadata } from '../content.ts'
import { createStoryEngine } from './story-engine.ts'

const engine = createStoryEngine({ model: 'tiny', running: 2, waiting: 2 })
after(() => engine.close())

const never = new AbortController().signal
const says = (text: string): GenerateRequest['contents'] => [{ role: 'user', parts: [{ text }] }]
const once = (generationConfig: GenerationConfig): GenerateRequest => ({
  contents: says('Once upon a time'),
  generationConfig,
})
const failsWith = (code: string, message: RegExp) => (error: unknown) =>
  error instanceof Failure && error.code === code && message.test(error.message)

interface Answer {
  readonly texts: readonly string[]
  readonly finishReasons: readonly (string | undefined)[]
  readonly usage: UsageMetadata | undefined
  readonly pieces: readonly AnswerPiece[]
}

async function generate(request: GenerateRequest, signal = never): Promise<Answer> {
  const pieces: AnswerPiece[] = []
  for await (const piece of engine.generate(request, { signal, requestId: 'r' })) pieces.push(piece)
  const texts: string[] = []
  const finishReasons: (string | undefined)[] = []
  for (const { index, content, finishReason } of pieces.flatMap(({ candidates }) => candidates)) {
    texts[index] = (texts[index] ?? '') + (content?.parts.map(({ text }) => text ?? '').join('') ?? '')
    finishReasons[index] = finishReason
  }
  return { texts, finishReasons, usage: pieces.at(-1)?.usageMetadata, pieces }
}

const json = async (schema: unknown, more: GenerationConfig = {}): Promise<unknown> => {
  const generationConfig = { responseMimeType: 'application/json', responseSchema: schema, seed: 5, ...more }
  const { texts, finishReasons } = await generate(once(generationConfig))
  assert.deepEqual(finishReasons, ['STOP'])
  return JSON.parse(texts[0] ?? '')
}

test('temperature 0 goes on in the known way, piece by piece, and stops at maxOutputTokens', async () => {
  const { texts, finishReasons, usage, pieces } = await generate(
    once({ temperature: 0, maxOutputTokens: 20 }),
  )
  assert.deepEqual(texts, [', there was a little girl named Lily. She loved to play outside in the sunshine'])
  assert.deepEqual(finishReasons, ['MAX_TOKENS'])
  assert.ok(pieces.length > 10)
  assert.deepEqual(usage, {
    promptTokenCount: 5,
    candidatesTokenCount: 20,
    totalTokenCount: 25,
    promptTokensDetails: [{ modality: 'TEXT', tokenCount: 5 }],
  })
  // What was read is known at once, for a caller that does not wait for the end.
  const { candidatesTokenCount, ...read } = { ...usage, totalTokenCount: 5 }
  assert.deepEqual([pieces[0]?.usageMetadata, candidatesTokenCount], [read, 20])
  assert.ok(pieces.slice(1, -1).every(({ usageMetadata }) => usageMetadata === undefined))
})

test('the same seed gives the same text, beside other work too; another seed another', async () => {
  const request = once({ seed: 11, temperature: 1.5, maxOutputTokens: 12 })
  const alone = await generate(request)
  const [again, other] = await Promise.all([
    generate(request),
    generate(once({ seed: 12, temperature: 1.5, maxOutputTokens: 12 })),
  ])
  assert.deepEqual(again.texts, alone.texts)
  assert.notDeepEqual(other.texts, alone.texts)
})

test('a stop sequence that spans tokens ends the text before it', async () => {
  const { texts, finishReasons, pieces } = await generate(
    once({ temperature: 0, stopSequences: ['girl named Li'] }),
  )
  assert.deepEqual(texts, [', there was a little '])
  assert.deepEqual(finishReasons, ['STOP'])
  assert.ok(!JSON.stringify(pieces).includes('girl'))
})

test('candidates differ, are told apart by index and counted together', async () => {
  const { texts, finishReasons, usage } = await generate(
    once({ seed: 3, temperature: 1.5, candidateCount: 3, maxOutputTokens: 8 }),
  )
  assert.equal(new Set(texts).size, 3)
  assert.deepEqual(finishReasons, ['MAX_TOKENS', 'MAX_TOKENS', 'MAX_TOKENS'])
  assert.equal(usage?.candidatesTokenCount, 24)
})

test('every candidate begins from the same prompt', async () => {
  const { texts } = await generate(once({ temperature: 0, candidateCount: 2, maxOutputTokens: 8 }))
  assert.equal(texts[1], texts[0])
})

test('JSON keeps to its schema', async () => {
  const pet = await json({
    type: 'OBJECT',
    properties: {
      name: { type: 'STRING', minLength: 2, maxLength: 12 },
      age: { type: 'INTEGER', minimum: 1, maximum: 30 },
      colour: { type: 'STRING', enum: ['red', 'blue'] },
      isHappy: { type: 'BOOLEAN' },
      friends: { type: 'ARRAY', items: { type: 'STRING', maxLength: 8 }, minItems: 1, maxItems: 2 },
    },
    required: ['name', 'age', 'colour', 'isHappy', 'friends'],
    propertyOrdering: ['age', 'name'],
  })
  assert.ok(typeof pet === 'object' && pet !== null)
  assert.deepEqual(Object.keys(pet), ['age', 'name', 'colour', 'isHappy', 'friends'])
  const list = await json({ type: 'array', items: { type: 'number' }, minItems: 2, maxItems: 3 })
  assert.ok(Array.isArray(list) && list.every((item) => typeof item === 'number'))
  assert.equal(await json({ type: 'null' }), null)
})

test('JSON without a schema is an object with a text, and JSON cut short says so', async () => {
  const free = await json(undefined)
  assert.ok(typeof free === 'object' && free !== null && 'text' in free && typeof free.text === 'string')
  const schema = { type: 'STRING', minLength: 50 }
  const cut = await generate(
    once({ responseMimeType: 'application/json', responseSchema: schema, maxOutputTokens: 3 }),
  )
  assert.deepEqual([cut.finishReasons, cut.usage?.candidatesTokenCount], [['MAX_TOKENS'], 3])
})

test('a function is called with arguments of its schema, and its response is gone on from in text', async () => {
  const parameters = {
    type: 'OBJECT',
    properties: { city: { type: 'STRING', maxLength: 20 } },
    required: ['city'],
  }
  const tools = [{ functionDeclarations: [{ name: 'get_weather', parameters }] }]
  const contents = says('Use get_weather for Paris.')
  const { pieces } = await generate({ contents, tools })
  const [candidate] = pieces.at(-1)?.candidates ?? []
  const [part] = candidate?.content?.parts ?? []
  assert.deepEqual(
    [pieces.length, candidate?.finishReason, part?.functionCall?.name],
    [1, 'STOP', 'get_weather'],
  )
  assert.equal(typeof part?.functionCall?.args?.city, 'string')

  const response = {
    role: 'user',
    parts: [{ functionResponse: { name: 'get_weather', response: { sun: true } } }],
  }
  const history = [...contents, { role: 'model', parts: part === undefined ? [] : [part] }, response]
  const next = await generate({ contents: history, tools, generationConfig: { maxOutputTokens: 3, seed: 1 } })
  assert.notEqual(next.texts[0], '')
})

test('countTokens counts what a generation reads', async () => {
  const request = {
    ...once({ maxOutputTokens: 1 }),
    systemInstruction: { parts: [{ text: 'Tell of a çat.' }] },
  }
  const { usage } = await generate(request)
  const count = await engine.countTokens(request, { signal: never, requestId: 'r' })
  assert.deepEqual(count, { totalTokens: usage?.promptTokenCount })
})

test('of a long prompt the end is read, and the usage says how much', async () => {
  const start = 'There was a very big dog. '.repeat(1500)
  const request = {
    contents: says(`${start}Once upon a time`),
    generationConfig: { temperature: 0, maxOutputTokens: 2 },
  }
  const { usage, finishReasons } = await generate(request)
  assert.deepEqual([usage?.promptTokenCount, finishReasons], [192, ['MAX_TOKENS']])
  const { totalTokens } = await engine.countTokens(request, { signal: never, requestId: 'r' })
  assert.ok(totalTokens > 10_000)
})

test('calls beyond those that run and wait are refused as overload; the others all end', async () => {
  const calls = Array.from({ length: 4 }, (_, seed) => generate(once({ seed, maxOutputTokens: 4 })))
  await assert.rejects(generate(once({})), failsWith('unavailable', /overloaded/))
  for (const { usage } of await Promise.all(calls)) assert.equal(usage?.candidatesTokenCount, 4)
})

test('an aborted generation ends at once and its work is forgotten', async () => {
  const abort = new AbortController()
  const pieces = engine.generate(once({ seed: 1, candidateCount: 8 }), {
    signal: abort.signal,
    requestId: 'r',
  })
  const iterator = pieces[Symbol.asyncIterator]()
  await iterator.next()
  assert.equal(engine.load(), 1)
  const start = process.cpuUsage()
  abort.abort(new Error('gone'))
  await assert.rejects(async () => {
    for (;;) if ((await iterator.next()).done === true) return
  }, /gone/)
  await engine.idle()
  assert.equal(engine.load(), 0)
  const { user, system } = process.cpuUsage(start)
  assert.ok(user + system < 1_000_000, 'the whole generation would have taken more work')
})

test('the event loop turns while the model works', async () => {
  const delay = monitorEventLoopDelay({ resolution: 5 })
  delay.enable()
  const [all, own] = [process.cpuUsage(), process.threadCpuUsage()]
  await generate(once({ seed: 2, maxOutputTokens: 30 }))
  const [spent, onLoop] = [process.cpuUsage(all).user, process.threadCpuUsage(own).user]
  delay.disable()
  assert.ok(onLoop < spent / 2, `${onLoop} µs of ${spent} µs were worked on the thread of the loop`)
  assert.ok(delay.percentile(90) < 50e6, `${delay.percentile(90) / 1e6} ms`)
})

test('what the model cannot do is refused before any work', async () => {
  await assert.rejects(
    generate(once({ responseModalities: ['AUDIO'] })),
    failsWith('invalid-request', /text only/),
  )
  await assert.rejects(generate(once({ temperature: 3 })), failsWith('invalid-request', /temperature/))
  const call = engine.countTokens({ contents: [] }, { signal: never, requestId: 'r' })
  await assert.rejects(call, failsWith('invalid-request', /contents/))
  assert.equal(engine.load(), 0)
})

test('an engine without its weights says so, at every call', async () => {
  const weights = pathToFileURL(join(tmpdir(), 'postern-no-such-weights')).href
  const broken = createStoryEngine({ model: 'tiny', weights })
  const call = (): Promise<unknown> => broken.countTokens(once({}), { signal: never, requestId: 'r' })
  await assert.rejects(call(), failsWith('misconfigured', /cannot be read/))
  await assert.rejects(call(), failsWith('misconfigured', /cannot be read/))
  await broken.close()
})
