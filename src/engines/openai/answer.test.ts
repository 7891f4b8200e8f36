import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Candidate } from '../content.ts'
import { AnswerReader } from './answer.ts'
import type { JsonObject } from './values.ts'

function readerOf(...choices: readonly JsonObject[]): AnswerReader {
  const reader = new AnswerReader({ wantsThoughts: true })
  for (const choice of choices) reader.take({ choices: [choice] })
  return reader
}

const ending = (...choices: readonly JsonObject[]): Candidate | undefined =>
  readerOf(...choices).finish().candidates[0]
const argumentsOf = (text: unknown, index = 0): JsonObject => ({
  delta: { tool_calls: [{ index, function: { name: 'f', arguments: text } }] },
})

for (const [reason, expected] of [
  ['stop', 'STOP'],
  ['length', 'MAX_TOKENS'],
  ['content_filter', 'SAFETY'],
  ['tool_calls', 'STOP'],
  ['abort', 'OTHER'],
] as const) {
  test(`an answer that ends with ${reason} ends with ${expected}`, () => {
    assert.equal(ending({ delta: {}, finish_reason: reason })?.finishReason, expected)
  })
}

test('arguments that are no JSON object make the call malformed, and no call is given', () => {
  for (const text of ['{"a":', '[]', 'nope']) {
    assert.deepEqual(ending(argumentsOf('{}'), argumentsOf(text, 1), { finish_reason: 'tool_calls' }), {
      index: 0,
      finishReason: 'MALFORMED_FUNCTION_CALL',
      finishMessage: `Malformed function call: f(${text})`,
    })
  }
})

test('a call that the token limit cut off says so', () => {
  assert.deepEqual(ending(argumentsOf('{"a":'), { finish_reason: 'length' }), {
    index: 0,
    finishReason: 'MAX_TOKENS',
    finishMessage: 'A function call was cut off.',
  })
})

test('arguments may be missing, null or an object', () => {
  for (const [text, args] of [
    ['', {}],
    ['null', {}],
    [undefined, {}],
    [{ a: 1 }, { a: 1 }],
  ] as const) {
    assert.deepEqual(ending(argumentsOf(text), { finish_reason: 'stop' })?.content?.parts, [
      { functionCall: { name: 'f', args } },
    ])
  }
})

test('calls whose index is missing are told apart by their place', () => {
  const calls = ['f', 'g'].map((name) => ({ id: name, function: { name, arguments: '{}' } }))
  const parts = ending({ message: { tool_calls: calls }, finish_reason: 'tool_calls' })?.content?.parts
  assert.deepEqual(
    parts?.map(({ functionCall }) => functionCall?.name),
    ['f', 'g'],
  )
})

const toolDeltas = (...deltas: readonly JsonObject[]): unknown =>
  ending(...deltas.map((delta) => ({ delta: { tool_calls: [{ index: 0, ...delta }] } })), {
    finish_reason: 'tool_calls',
  })?.content?.parts?.map(({ functionCall }) => functionCall)
const rome = { name: 'weather', arguments: '{"city":"Rome"}' }
const oslo = { name: 'weather', arguments: '{"city":"Oslo"}' }

test('a name that comes in pieces is put together, and one that is repeated stays as it is', () => {
  const args = { city: 'Rome' }
  assert.deepEqual(
    toolDeltas(
      { id: 'a', function: { name: 'wea' } },
      { function: { name: 'ther', arguments: '{"city":' } },
      { function: { arguments: '"Rome"}' } },
    ),
    [{ id: 'a', name: 'weather', args }],
  )
  for (const id of ['a', ''])
    assert.deepEqual(
      toolDeltas(
        { id, function: { name: 'weather', arguments: '' } },
        { id, function: { name: 'weather', arguments: '{"city":' } },
        { id, function: { name: 'weather', arguments: '"Rome"}' } },
        { id, function: { name: 'weather', arguments: '' } },
      ),
      [{ ...(id !== '' && { id }), name: 'weather', args }],
    )
})

test('calls with one index and no ids are told apart by their whole arguments', () => {
  const calls = [
    { name: 'weather', args: { city: 'Oslo' } },
    { name: 'weather', args: { city: 'Rome' } },
  ]
  assert.deepEqual(toolDeltas({ id: '', function: oslo }, { id: '', function: rome }), calls)
  assert.deepEqual(toolDeltas({ function: oslo }, { function: { name: 'time', arguments: '' } }), [
    calls[0],
    { name: 'time', args: {} },
  ])
})

test('an id that another call of the turn has is left out', () => {
  assert.deepEqual(toolDeltas({ id: 'a', function: oslo }, { id: 'a', index: 1, function: rome }), [
    { id: 'a', name: 'weather', args: { city: 'Oslo' } },
    { name: 'weather', args: { city: 'Rome' } },
  ])
})

test('content in parts is read as its texts', () => {
  const piece = new AnswerReader({ wantsThoughts: true }).take({
    choices: [
      {
        delta: {
          content: [
            { type: 'text', text: 'a' },
            { type: 'x', text: 'no' },
            { type: 'text', text: 'b' },
          ],
        },
      },
    ],
  })
  assert.deepEqual(piece?.candidates[0]?.content?.parts, [{ text: 'ab' }])
})

test('an answer with a candidate that did not end is incomplete', () => {
  assert.throws(() => new AnswerReader({ wantsThoughts: true }).finish(), { code: 'unavailable' })
  const reader = readerOf({ index: 0, finish_reason: 'stop' }, { index: 1, delta: { content: 'a' } })
  assert.throws(() => reader.finish(), { code: 'unavailable', reason: 'upstream_incomplete' })
})

test('the last word on usage counts, and reasoning is counted once', () => {
  const reader = readerOf({ finish_reason: 'stop' })
  reader.take({ usage: { prompt_tokens: 1, completion_tokens: 0 } })
  reader.take({
    usage: {
      prompt_tokens: 9,
      completion_tokens: 5,
      total_tokens: 14,
      completion_tokens_details: { reasoning_tokens: 3 },
    },
  })
  reader.take({ usage: null })
  assert.deepEqual(reader.finish().usageMetadata, {
    promptTokenCount: 9,
    candidatesTokenCount: 2,
    thoughtsTokenCount: 3,
    totalTokenCount: 14,
  })
})

test('what a server says of the usage with each chunk goes with each piece', () => {
  const reader = readerOf()
  const chunk = (completion: number): JsonObject => ({
    choices: [{ delta: { content: 'a' } }],
    ...(completion > 0 && { usage: { prompt_tokens: 1000, completion_tokens: completion } }),
  })
  const told = [0, 1, 0, 2].map((completion) => reader.take(chunk(completion))?.usageMetadata)
  assert.deepEqual(
    told.map((usage) => usage && [usage.promptTokenCount, usage.candidatesTokenCount]),
    [undefined, [1000, 1], [1000, 1], [1000, 2]],
  )
})

test('reasoning that is counted beside the completion takes nothing from it', () => {
  const reader = readerOf({ finish_reason: 'stop' })
  reader.take({
    usage: { prompt_tokens: 9, completion_tokens: 5, completion_tokens_details: { reasoning_tokens: 30 } },
  })
  assert.deepEqual(reader.finish().usageMetadata, {
    promptTokenCount: 9,
    candidatesTokenCount: 5,
    thoughtsTokenCount: 30,
    totalTokenCount: 14,
  })
})
