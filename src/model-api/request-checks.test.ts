import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readGenerateRequest } from './read-request.ts'
import { WireFailure } from './wire-failure.ts'

const hello = { role: 'user', parts: [{ text: 'hi' }] }

function generate(json: unknown): unknown {
  return readGenerateRequest(json, 'models/tiny')
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

const refused: readonly (readonly [string, unknown, string])[] = [
  [
    'a list as the body',
    [],
    'Invalid JSON payload received. Unknown name "": Root element must be a message.',
  ],
  [
    'null as the body',
    null,
    'Invalid JSON payload received. Unknown name "": Root element must be a message.',
  ],
  ['an empty body', undefined, '* GenerateContentRequest.contents: contents is not specified\n'],
  ['no contents', {}, '* GenerateContentRequest.contents: contents is not specified\n'],
  [
    'a content without parts',
    { contents: [hello, { role: 'user' }] },
    '* GenerateContentRequest.contents[1].parts: contents.parts must not be empty.\n',
  ],
  [
    'parts without data',
    { contents: [{ parts: [{}, { thought: true }] }], system_instruction: { parts: [{}] } },
    "* GenerateContentRequest.contents[0].parts[0].data: required oneof field 'data' must have one initialized field\n" +
      "* GenerateContentRequest.contents[0].parts[1].data: required oneof field 'data' must have one initialized field\n" +
      "* GenerateContentRequest.system_instruction.parts[0].data: required oneof field 'data' must have one initialized field\n",
  ],
  [
    'a part of two kinds',
    { contents: [{ parts: [{ text: 'a', inlineData: {} }] }] },
    "Invalid value at 'contents[0].parts[0]' (oneof), oneof field 'data' is already set. Cannot set 'inlineData'",
  ],
  [
    'a text for a message',
    { contents: 'hi' },
    'Invalid value at \'contents\' (type.googleapis.com/google.ai.generativelanguage.v1beta.Content), "hi"',
  ],
  [
    'a number for a text',
    { contents: [{ parts: [{ text: 123 }] }] },
    "Invalid value at 'contents[0].parts[0].text' (TYPE_STRING), 123",
  ],
  [
    'a role nobody has',
    { contents: [{ ...hello, role: 'assistant' }] },
    'Please use a valid role: user, model.',
  ],
  [
    'another model than the path names',
    { contents: [hello], model: 'models/other' },
    '* GenerateContentRequest.model: model must be the model of the path, models/tiny.\n',
  ],
  ['a temperature above 2', config({ temperature: 2.1 }), range('temperature', 'in the range [0.0, 2.0]')],
  ['a temperature below 0', config({ temperature: -0.1 }), range('temperature', 'in the range [0.0, 2.0]')],
  ['a topP above 1', config({ topP: 1.01 }), range('top_p', 'in the range [0.0, 1.0]')],
  ['a negative topK', config({ topK: -1 }), range('top_k', 'non-negative')],
  ['no candidate', config({ candidateCount: 0 }), range('candidate_count', 'in the range [1, 8]')],
  ['nine candidates', config({ candidateCount: 9 }), range('candidate_count', 'in the range [1, 8]')],
  ['no output', config({ maxOutputTokens: 0 }), range('max_output_tokens', 'positive')],
  [
    'a presence penalty of 3',
    config({ presencePenalty: 3 }),
    range('presence_penalty', 'in the range [-2.0, 2.0]'),
  ],
  [
    'a frequency penalty of -3',
    config({ frequencyPenalty: -3 }),
    range('frequency_penalty', 'in the range [-2.0, 2.0]'),
  ],
  ['21 log probabilities', config({ logprobs: 21 }), range('logprobs', 'in the range [0, 20]')],
  [
    'six stop sequences',
    config({ stopSequences: 'abcdef'.split('') }),
    '* GenerateContentRequest.generation_config.stop_sequences: stop_sequences must not have more than 5 items.\n',
  ],
  [
    'an answer as HTML',
    config({ responseMimeType: 'text/html' }),
    '* GenerateContentRequest.generation_config.response_mime_type: allowed mimetypes are `text/plain`, `application/json`, `application/xml`, `application/yaml` and `text/x.enum`.\n',
  ],
]

for (const [title, json, message] of refused)
  test(`${title} is refused`, () => {
    assert.equal(refusal(() => generate(json)).message, message)
  })

test('the bounds themselves are inside', () => {
  const edges = {
    temperature: 2,
    topP: 1,
    topK: 0,
    candidateCount: 8,
    maxOutputTokens: 1,
    stopSequences: 'abcde'.split(''),
  }
  assert.doesNotThrow(() => generate(config(edges)))
  assert.doesNotThrow(() => generate(config({ temperature: 0, topP: 0, candidateCount: 1 })))
})

function config(generationConfig: object): object {
  return { contents: [hello], generationConfig }
}

function range(field: string, rule: string): string {
  return `* GenerateContentRequest.generation_config.${field}: ${field} must be ${rule}.\n`
}
