import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  readBatchEmbedRequest,
  readCountRequest,
  readEmbedRequest,
  readGenerateRequest,
  readPredictRequest,
} from './read-request.ts'
import { WireFailure } from './wire-failure.ts'

const names =
  `contents parts text role inlineData inline_data data functionCall args name tools functionDeclarations parameters
properties items anyOf type enum maxItems generationConfig generation_config temperature topK stopSequences thinkingConfig seed
systemInstruction safetySettings category toolConfig generateContentRequest model content requests instances taskType __proto__
constructor toString`.split(/\s/)

const scalars = fc.oneof(
  fc.constantFrom('user', 'model', 'STRING', 'object', 'AAAA', '1', '-1e3', 'models/tiny', '', '\ud800'),
  fc.string(),
  fc.double(),
  fc.integer(),
  fc.boolean(),
  fc.constant(null),
)

/** Bodies that look like requests, so that the fuzz gets past the first name. */
const { body } = fc.letrec<{ body: unknown; value: unknown }>((tie) => ({
  value: fc.oneof({ maxDepth: 8 }, scalars, tie('body'), fc.array(tie('value'), { maxLength: 3 })),
  body: fc.dictionary(fc.oneof(fc.constantFrom(...names), fc.string()), tie('value'), { maxKeys: 5 }),
}))

const readers = {
  generate: (json: unknown) => readGenerateRequest(json, 'models/tiny'),
  count: (json: unknown) => readCountRequest(json, 'models/tiny'),
  embed: (json: unknown) => readEmbedRequest(json, 'models/tiny'),
  batch: (json: unknown) => readBatchEmbedRequest(json, 'models/tiny'),
  predict: readPredictRequest,
} as const

for (const [title, read] of Object.entries(readers))
  test(`whatever JSON comes, ${title} reads it or refuses it as the wire does, and soon`, () => {
    const anyJson = fc.oneof(
      { weight: 4, arbitrary: body },
      { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 12 }) },
    )
    fc.assert(
      fc.property(anyJson, (value) => {
        const json: unknown = JSON.parse(JSON.stringify(value))
        const start = process.cpuUsage()
        try {
          assert.equal(typeof read(json), 'object')
        } catch (error) {
          assert.ok(error instanceof WireFailure, String(error))
          assert.notEqual(error.message, '')
        }
        assert.ok(process.cpuUsage(start).user < 1_000_000, 'it took too long')
      }),
      { numRuns: 1500 },
    )
  })

test('a request that was read is read again to the same', () => {
  fc.assert(
    fc.property(body, (value) => {
      const json: unknown = JSON.parse(JSON.stringify(value))
      const once = readOrNothing({ contents: { parts: { text: 'a' } }, tools: json, generationConfig: json })
      if (once !== undefined) assert.deepEqual(readGenerateRequest(once, 'tiny'), once)
    }),
    { numRuns: 1500 },
  )
})

test('large and hostile bodies are refused in bounded time and with a bounded answer', () => {
  const wide = Object.fromEntries(Array.from({ length: 50_000 }, (_, index) => [`name${index}`, index]))
  const bodies = [
    wide,
    { contents: Array(50_000).fill({ parts: [{ text: 1 }] }) },
    { contents: Array(50_000).fill({ parts: [] }) },
    { contents: [{ parts: [{ inlineData: { data: `${'a'.repeat(4_000_000)}!` } }] }] },
    { contents: [{ parts: [{ text: 'a' }] }], generationConfig: { seed: '9'.repeat(1_000_000) } },
  ]
  for (const json of bodies) {
    const start = process.cpuUsage()
    assert.throws(
      () => readGenerateRequest(json, 'tiny'),
      (error) => error instanceof WireFailure && error.message.length < 60_000,
    )
    assert.ok(process.cpuUsage(start).user < 3_000_000)
  }
})

function readOrNothing(json: unknown): object | undefined {
  try {
    return readGenerateRequest(json, 'tiny')
  } catch {
    return undefined
  }
}
