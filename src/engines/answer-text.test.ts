import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Failure } from '../failure/failure.ts'
import { AnswerText, type TextAnswer } from './answer-text.ts'

function read(...pieces: readonly unknown[]): TextAnswer {
  const answer = new AnswerText()
  for (const piece of pieces) answer.add(piece)
  return answer.finish()
}

const says = (...parts: readonly object[]): object => ({ candidates: [{ content: { parts } }] })

test('text of many pieces is put together, and the last end and usage count', () => {
  const usageMetadata = {
    promptTokenCount: 3,
    toolUsePromptTokenCount: 1,
    candidatesTokenCount: 5,
    thoughtsTokenCount: 2,
  }
  assert.deepEqual(
    read(says({ text: 'One ' }), says({ text: 'two' }, { text: '.' }), {
      candidates: [{ finishReason: 'STOP' }],
      usageMetadata,
    }),
    { text: 'One two.', finishReason: 'STOP', tokensIn: 4, tokensOut: 7 },
  )
})

test('thoughts and what is no text are left out', () => {
  const { text } = read(
    says({ text: 'Hm.', thought: true }, { functionCall: { name: 'f' } }, { text: 'Yes' }),
  )
  assert.equal(text, 'Yes')
})

test('an answer that was held back is an empty text with its reason', () => {
  assert.deepEqual(read({ candidates: [{ finishReason: 'SAFETY' }] }), {
    text: '',
    finishReason: 'SAFETY',
    tokensIn: 0,
    tokensOut: 0,
  })
})

test('a blocked prompt is a failure that says why', () => {
  assert.throws(
    () => read({ promptFeedback: { blockReason: 'PROHIBITED_CONTENT' } }),
    (error: unknown) =>
      error instanceof Failure &&
      error.code === 'invalid-request' &&
      error.message.includes('PROHIBITED_CONTENT') &&
      error.reason === 'prompt_blocked',
  )
})

for (const strange of [null, 7, 'text', [], {}, { candidates: {} }, { candidates: [] }])
  test(`what is no answer is a fault of the upstream: ${JSON.stringify(strange)}`, () => {
    assert.throws(
      () => read(strange),
      (error: unknown) => error instanceof Failure && error.code === 'unavailable',
    )
  })

test('fields of a wrong kind are passed over', () => {
  const candidate = { content: { parts: [null, 7, { text: 7 }, { text: 'ok' }] }, finishReason: 'stop <b>' }
  const usageMetadata = { promptTokenCount: '3', candidatesTokenCount: -1, thoughtsTokenCount: 0.5 }
  assert.deepEqual(read({ candidates: [candidate], usageMetadata }), {
    text: 'ok',
    finishReason: 'FINISH_REASON_UNSPECIFIED',
    tokensIn: 0,
    tokensOut: 0,
  })
})

test('an answer that breaks off has used what it said so far, and a token for each piece at least', () => {
  const answer = new AnswerText()
  answer.add({ ...says({ text: 'a' }), usageMetadata: { promptTokenCount: 7 } })
  answer.add(says({ text: 'b' }))
  assert.deepEqual(answer.usedSoFar(), { tokensIn: 7, tokensOut: 2 })
})

test('a text without end is cut off', () => {
  const answer = new AnswerText()
  const million = says({ text: 'x'.repeat(1_000_000) })
  for (let count = 0; count < 4; count += 1) answer.add(million)
  assert.throws(
    () => answer.add(million),
    (error: unknown) => error instanceof Failure && error.code === 'too-large',
  )
})
