import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readGenerateRequest } from './read-request.ts'
import { WireFailure } from './wire-failure.ts'

const hello = { role: 'user', parts: [{ text: 'hi' }] }
const model = 'models/tiny'

function generate(json: unknown): unknown {
  return readGenerateRequest(json, model)
}

function refusal(act: () => unknown): WireFailure {
  try {
    act()
  } catch (error) {
    assert.ok(error instanceof WireFailure)
    assert.equal(error.code, 'invalid-request')
    return error
  }
  return assert.fail('it was accepted')
}

const everything = {
  contents: [
    hello,
    {
      role: 'model',
      parts: [
        { text: 'hm', thought: true, thoughtSignature: 'c2ln' },
        { functionCall: { id: '1', name: 'f', args: { snake_case: 1, nested: { a: [null] } } } },
      ],
    },
    {
      role: 'function',
      parts: [
        { functionResponse: { id: '1', name: 'f', response: { ok: true } } },
        {
          inlineData: { mimeType: 'image/png', data: 'AAAA' },
          mediaResolution: { level: 'MEDIA_RESOLUTION_LOW' },
        },
        {
          fileData: { mimeType: 'video/mp4', fileUri: 'files/a' },
          videoMetadata: { startOffset: '1s', fps: 2 },
        },
        { executableCode: { language: 'PYTHON', code: '1' } },
        { codeExecutionResult: { outcome: 'OUTCOME_OK', output: '1' } },
      ],
    },
  ],
  systemInstruction: { parts: [{ text: 'be kind' }], role: 'user' },
  tools: [
    {
      functionDeclarations: [
        {
          name: 'f',
          description: 'does',
          parameters: {
            type: 'OBJECT',
            properties: { some_name: { type: 'STRING', enum: ['a'], minLength: 1 } },
            required: ['some_name'],
            propertyOrdering: ['some_name'],
          },
          responseJsonSchema: { type: 'object', $defs: {} },
        },
      ],
    },
    { googleSearch: {} },
    { codeExecution: {} },
    { urlContext: {} },
    { fileSearch: { fileSearchStoreNames: ['fileSearchStores/a'], topK: 3, metadataFilter: 'a="b"' } },
    { computerUse: {} },
    { googleMaps: {} },
  ],
  toolConfig: { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['f'] } },
  safetySettings: [{ category: 'HARM_CATEGORY_HARASSMENT', threshold: 'BLOCK_NONE' }],
  generationConfig: {
    candidateCount: 2,
    stopSequences: ['.'],
    maxOutputTokens: 10,
    temperature: 0.5,
    topP: 0.9,
    topK: 40,
    seed: 1,
    responseMimeType: 'application/json',
    responseSchema: { type: 'ARRAY', items: { type: 'STRING' }, maxItems: 3 },
    responseJsonSchema: { type: 'OBJECT' },
    presencePenalty: 0,
    frequencyPenalty: 0,
    responseLogprobs: true,
    logprobs: 2,
    responseModalities: ['TEXT'],
    speechConfig: { voiceConfig: {} },
    thinkingConfig: { includeThoughts: true, thinkingBudget: -1, thinkingLevel: 'LOW' },
    imageConfig: { aspectRatio: '1:1' },
    mediaResolution: 'MEDIA_RESOLUTION_LOW',
  },
  cachedContent: 'cachedContents/a',
}

test('every field of the wire is known and kept', () => {
  assert.deepEqual(generate(everything), everything)
})

test('the same request in snake_case means the same', () => {
  assert.deepEqual(generate(snakeCased(everything)), everything)
})

test('the short forms of the API’s own examples are read', () => {
  const request = {
    system_instruction: { parts: { text: 'be kind' } },
    contents: { parts: { text: 'hi' } },
    generationConfig: {},
    tools: null,
  }
  assert.deepEqual(generate(request), {
    systemInstruction: { parts: [{ text: 'be kind' }] },
    contents: [{ parts: [{ text: 'hi' }] }],
    generationConfig: {},
  })
})

test('all unknown names stand in one answer, with the paths of their messages', () => {
  const failure = refusal(() =>
    generate({
      contents: [{ parts: { text: 'hi', role: 'user' } }],
      stream: true,
      generationConfig: { foo: 1 },
      tools: [{ functionDeclarations: [{ parameters: { properties: { a: { $ref: 'b' } } } }] }],
    }),
  )
  const violations = [
    {
      field: 'contents[0].parts',
      description:
        'Invalid JSON payload received. Unknown name "role" at \'contents[0].parts\': Cannot find field.',
    },
    { description: 'Invalid JSON payload received. Unknown name "stream": Cannot find field.' },
    {
      field: 'generation_config',
      description:
        'Invalid JSON payload received. Unknown name "foo" at \'generation_config\': Cannot find field.',
    },
    {
      field: 'tools[0].function_declarations[0].parameters.properties[0].value',
      description:
        'Invalid JSON payload received. Unknown name "$ref" at \'tools[0].function_declarations[0].parameters.properties[0].value\': Cannot find field.',
    },
  ]
  assert.deepEqual(failure.details, [
    { '@type': 'type.googleapis.com/google.rpc.BadRequest', fieldViolations: violations },
  ])
  assert.equal(failure.message, violations.map(({ description }) => description).join('\n'))
})

test('what a caller calls toString is never called', () => {
  const trap = { toString: '', valueOf: '' }
  const traps = [
    { generationConfig: { stopSequences: [[trap]] } },
    { tools: [{ functionDeclarations: [{ parameters: { properties: [[trap]] } }] }] },
    { contents: [[trap]] },
    { contents: trap, systemInstruction: [[trap]] },
  ]
  for (const json of traps) assert.notEqual(refusal(() => generate(json)).message, '')
})

test('nesting is bounded in messages and in free values', () => {
  for (const path of ['args', 'parameters', 'contents']) {
    const failure = refusal(() => generate(nested(path, 200)))
    assert.match(failure.message, /^Invalid JSON payload received\. Message too deep\./)
  }
  assert.doesNotThrow(() => generate(nested('args', 80)))
  assert.doesNotThrow(() => refusal(() => generate(nested('args', 100_000))))
})

test('a model in the body may be written in every form', () => {
  for (const named of ['models/tiny', 'tiny', 'projects/p/locations/l/publishers/google/models/tiny'])
    assert.deepEqual(generate({ contents: [hello], model: named }), { contents: [hello] })
})

/** Values of free form keep their names. */
function snakeCased(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(snakeCased)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, held]) => [
      name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      /^(args|response|properties|.*JsonSchema|speechConfig|imageConfig)$/.test(name)
        ? held
        : snakeCased(held),
    ]),
  )
}

function nested(path: string, levels: number): object {
  let value: object = {}
  const step = path === 'args' ? 'a' : 'items'
  for (let level = 0; level < levels; level += 1) value = path === 'contents' ? [value] : { [step]: value }
  if (path === 'args') return { contents: [{ parts: [{ functionCall: { args: value } }] }] }
  if (path === 'contents')
    return { contents: [hello], tools: [{ functionDeclarations: [{ parametersJsonSchema: value }] }] }
  return { contents: [hello], tools: [{ functionDeclarations: [{ parameters: value }] }] }
}
