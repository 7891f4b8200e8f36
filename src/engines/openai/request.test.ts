import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Failure } from '../../failure/failure.ts'
import type { GenerateRequest, GenerationConfig } from '../content.ts'
import { type OpenaiDialect, plainDialect } from './options.ts'
import { chatRequest } from './request.ts'
import type { JsonObject } from './values.ts'

const contents = [{ role: 'user', parts: [{ text: 'Hi' }] }]

function bodyOf(request: Partial<GenerateRequest>, dialect: Partial<OpenaiDialect> = {}): JsonObject {
  const target = { model: 'm', dialect: { ...plainDialect, ...dialect }, isStream: false }
  return chatRequest({ contents, ...request }, target)
}

/** Only what a configuration adds to the request. */
function addedBy(generationConfig: GenerationConfig, dialect: Partial<OpenaiDialect> = {}): JsonObject {
  const { model: _, messages: __, ...added } = bodyOf({ generationConfig }, dialect)
  return added
}

test('a streamed call asks for the usage, another one does not', () => {
  const target = { model: 'm', dialect: plainDialect }
  const messages = [{ role: 'user', content: 'Hi' }]
  assert.deepEqual(chatRequest({ contents }, { ...target, isStream: false }), { model: 'm', messages })
  assert.deepEqual(chatRequest({ contents }, { ...target, isStream: true }), {
    model: 'm',
    messages,
    stream: true,
    stream_options: { include_usage: true },
  })
})

test('every setting has its name on the other wire', () => {
  const config: GenerationConfig = {
    temperature: 0,
    topP: 0.9,
    seed: 7,
    maxOutputTokens: 12,
    stopSequences: ['a', 'b', 'c', 'd', 'e'],
    candidateCount: 2,
    presencePenalty: 0.1,
    frequencyPenalty: -0.2,
    responseLogprobs: true,
    logprobs: 3,
    responseModalities: ['TEXT'],
  }
  assert.deepEqual(addedBy(config), {
    temperature: 0,
    top_p: 0.9,
    seed: 7,
    max_tokens: 12,
    stop: ['a', 'b', 'c', 'd', 'e'],
    n: 2,
    presence_penalty: 0.1,
    frequency_penalty: -0.2,
    logprobs: true,
    top_logprobs: 3,
  })
})

test('settings that ask for nothing add nothing', () => {
  const config: GenerationConfig = {
    candidateCount: 1,
    stopSequences: [],
    responseMimeType: 'text/plain',
    responseLogprobs: false,
    responseModalities: [],
    thinkingConfig: { includeThoughts: true, thinkingBudget: -1 },
    mediaResolution: 'MEDIA_RESOLUTION_UNSPECIFIED',
    enableEnhancedCivicAnswers: false,
  }
  assert.deepEqual(addedBy(config), {})
  assert.deepEqual(addedBy({}), {})
})

test('the dialect says how tokens are limited, and whether top_k is known', () => {
  const config = { maxOutputTokens: 5, topK: 40 }
  assert.deepEqual(addedBy(config, { extensions: true, maxTokensField: 'max_completion_tokens' }), {
    top_k: 40,
    max_completion_tokens: 5,
  })
})

test('an answer in JSON is asked for with its schema, if it has one', () => {
  const responseMimeType = 'application/json'
  assert.deepEqual(addedBy({ responseMimeType }), { response_format: { type: 'json_object' } })
  const schema = { type: 'object', properties: { a: { type: 'string' } } }
  const expected = { response_format: { type: 'json_schema', json_schema: { name: 'response', schema } } }
  const responseSchema = { type: 'OBJECT', properties: { a: { type: 'STRING' } } }
  assert.deepEqual(addedBy({ responseMimeType, responseSchema }), expected)
  assert.deepEqual(addedBy({ responseMimeType, responseJsonSchema: schema }), expected)
  assert.deepEqual(addedBy({ responseMimeType, responseJsonSchema: schema }, { strictSchemas: true }), {
    response_format: { type: 'json_schema', json_schema: { name: 'response', schema, strict: true } },
  })
})

test('thinking is an effort: a level by its name, a budget by its size', () => {
  const effortOf = (thinkingConfig: NonNullable<GenerationConfig['thinkingConfig']>): unknown =>
    addedBy({ thinkingConfig }).reasoning_effort
  assert.deepEqual(
    ['MINIMAL', 'low', 'MEDIUM', 'HIGH', 'THINKING_LEVEL_UNSPECIFIED'].map((thinkingLevel) =>
      effortOf({ thinkingLevel }),
    ),
    ['minimal', 'low', 'medium', 'high', undefined],
  )
  assert.deepEqual(
    [0, 1, 1024, 1025, 8192, 8193, 24_576].map((thinkingBudget) => effortOf({ thinkingBudget })),
    ['none', 'low', 'low', 'medium', 'medium', 'high', 'high'],
  )
})

test('the resolution of media is the detail of images', () => {
  const inlineData = { mimeType: 'image/png', data: 'AAAA' }
  const request = {
    contents: [{ parts: [{ inlineData }] }],
    generationConfig: { mediaResolution: 'MEDIA_RESOLUTION_LOW' },
  }
  assert.deepEqual(bodyOf(request).messages, [
    {
      role: 'user',
      content: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA', detail: 'low' } }],
    },
  ])
})

test('the wish for no safety filter is granted', () => {
  const safetySettings = [
    { category: 'x', threshold: 'BLOCK_NONE' },
    { category: 'y', threshold: 'OFF' },
    { category: 'z' },
  ]
  assert.deepEqual(Object.keys(bodyOf({ safetySettings })), ['model', 'messages'])
})

test('what the operator chose to ignore is left out, and nothing else', () => {
  const request = {
    safetySettings: [{ category: 'x', threshold: 'BLOCK_LOW_AND_ABOVE' }],
    generationConfig: { topK: 64, temperature: 1, thinkingConfig: { thinkingBudget: 100 } },
  }
  const ignored = ['topK', 'thinkingConfig', 'safetySettings'] as const
  assert.deepEqual(Object.keys(bodyOf(request, { ignored })), ['model', 'messages', 'temperature'])
  assert.throws(() => bodyOf(request, { ignored: ['topK'] }), /safetySettings\[0\]\.threshold/)
})

const json = { responseMimeType: 'application/json' }
const at = 'GenerateContentRequest'
const config = `${at}.generationConfig`
const refused: readonly (readonly [string, Partial<GenerateRequest> & Record<string, unknown>])[] = [
  [`${at}.cachedContent`, { cachedContent: 'cachedContents/x' }],
  [`${at}.labels`, { labels: { a: 'b' } }],
  [
    `${at}.safetySettings[1].threshold`,
    { safetySettings: [{ threshold: 'OFF' }, { threshold: 'BLOCK_ONLY_HIGH' }] },
  ],
  [`${config}.topK`, { generationConfig: { topK: 40 } }],
  [`${config}.speechConfig`, { generationConfig: { speechConfig: {} } }],
  [`${config}.imageConfig`, { generationConfig: { imageConfig: {} } }],
  [`${config}.responseModalities`, { generationConfig: { responseModalities: ['TEXT', 'IMAGE'] } }],
  [`${config}.responseMimeType`, { generationConfig: { responseMimeType: 'text/x.enum' } }],
  [`${config}.responseSchema`, { generationConfig: { responseSchema: { type: 'STRING' } } }],
  [
    `${config}.responseJsonSchema`,
    { generationConfig: { ...json, responseSchema: {}, responseJsonSchema: {} } },
  ],
  [`${config}.responseSchema.not`, { generationConfig: { ...json, responseSchema: { not: {} } } }],
  [`${config}.logprobs`, { generationConfig: { logprobs: 3 } }],
  [`${config}.mediaResolution`, { generationConfig: { mediaResolution: 'MEDIA_RESOLUTION_MEDIUM' } }],
  [`${config}.enableEnhancedCivicAnswers`, { generationConfig: { enableEnhancedCivicAnswers: true } }],
  [
    `${config}.thinkingConfig.thinkingLevel`,
    { generationConfig: { thinkingConfig: { thinkingLevel: 'EXTREME' } } },
  ],
  [
    `${config}.thinkingConfig.thinkingBudget`,
    { generationConfig: { thinkingConfig: { thinkingBudget: 1, thinkingLevel: 'LOW' } } },
  ],
  [
    `${config}.thinkingConfig.thinkingBudget`,
    { generationConfig: { thinkingConfig: { thinkingBudget: -2 } } },
  ],
]

for (const [path, request] of refused) {
  test(`${path} is refused by name: ${JSON.stringify(request)}`, () => {
    assert.throws(
      () => bodyOf(request),
      (error: unknown) =>
        error instanceof Failure &&
        error.code === 'invalid-request' &&
        error.field === path &&
        error.message.startsWith(`${path}: `),
    )
  })
}
