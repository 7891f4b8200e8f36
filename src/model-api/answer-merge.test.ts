import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AnswerPiece, Part } from '../engines/content.ts'
import { createMerge } from './answer-merge.ts'

function said(...parts: readonly Part[]): AnswerPiece {
  return { candidates: [{ index: 0, content: { role: 'model', parts } }] }
}

function merged(...pieces: readonly AnswerPiece[]): AnswerPiece {
  const merge = createMerge()
  for (const piece of pieces) merge.add(piece)
  return merge.whole()
}

function partsOf(...pieces: readonly AnswerPiece[]): readonly Part[] | undefined {
  return merged(...pieces).candidates[0]?.content?.parts
}

test('text that came in pieces is one text', () => {
  assert.deepEqual(partsOf(said({ text: 'a' }), said({ text: 'b' }, { text: 'c' })), [{ text: 'abc' }])
})

test('thoughts and text stay apart', () => {
  const pieces = [
    said({ text: 'h', thought: true }),
    said({ text: 'm', thought: true }),
    said({ text: 'a' }),
    said({ text: 'b', thought: false }),
  ]
  assert.deepEqual(partsOf(...pieces), [
    { text: 'hm', thought: true },
    { text: 'ab', thought: false },
  ])
})

test('a signature belongs to the text before it and ends it', () => {
  assert.deepEqual(
    partsOf(said({ text: 'a' }), said({ text: 'b', thoughtSignature: 'c2ln' }), said({ text: 'c' })),
    [{ text: 'ab', thoughtSignature: 'c2ln' }, { text: 'c' }],
  )
})

test('calls of functions are kept as they are, and divide the text', () => {
  const call = { functionCall: { name: 'f', args: {} } }
  assert.deepEqual(partsOf(said({ text: 'a' }), said(call), said(call), said({ text: 'b' })), [
    { text: 'a' },
    call,
    call,
    { text: 'b' },
  ])
})

test('each candidate has its own text and end, in the order of their numbers', () => {
  const whole = merged(
    { candidates: [{ index: 1, content: { role: 'model', parts: [{ text: 'x' }] } }] },
    { candidates: [{ index: 0, content: { role: 'model', parts: [{ text: 'a' }] } }] },
    { candidates: [{ index: 1, content: { role: 'model', parts: [{ text: 'y' }] }, finishReason: 'STOP' }] },
    {
      candidates: [{ index: 0, finishReason: 'MAX_TOKENS', finishMessage: 'full' }],
      usageMetadata: { promptTokenCount: 1, totalTokenCount: 3 },
    },
  )
  assert.deepEqual(whole, {
    candidates: [
      {
        content: { parts: [{ text: 'a' }], role: 'model' },
        finishReason: 'MAX_TOKENS',
        finishMessage: 'full',
        index: 0,
      },
      { content: { parts: [{ text: 'xy' }], role: 'model' }, finishReason: 'STOP', index: 1 },
    ],
    usageMetadata: { promptTokenCount: 1, totalTokenCount: 3 },
  })
})

test('the last usage and the feedback on the prompt are kept', () => {
  const whole = merged(
    { candidates: [], promptFeedback: { blockReason: 'SAFETY' } },
    { candidates: [], usageMetadata: { promptTokenCount: 1, totalTokenCount: 1 } },
    { candidates: [], usageMetadata: { promptTokenCount: 1, totalTokenCount: 2 } },
  )
  assert.deepEqual(whole, {
    candidates: [],
    promptFeedback: { blockReason: 'SAFETY' },
    usageMetadata: { promptTokenCount: 1, totalTokenCount: 2 },
  })
})
