import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { WireUsage } from './engine.ts'
import { UsageReader } from './wire-usage.ts'

function usageOf(...chunks: readonly (string | Uint8Array)[]): WireUsage | undefined {
  const reader = new UsageReader()
  for (const chunk of chunks) reader.see(Buffer.from(chunk))
  return reader.usage()
}

const metadata = {
  promptTokenCount: 7,
  candidatesTokenCount: 5,
  totalTokenCount: 12,
  promptTokensDetails: [{ modality: 'TEXT', tokenCount: 7 }],
}
const answer = JSON.stringify({ candidates: [], usageMetadata: metadata, modelVersion: 'm' })

test('the usage of a whole answer is read, indented or not', () => {
  assert.deepEqual(usageOf(answer), { promptTokens: 7, outputTokens: 5 })
  const indented = JSON.stringify(JSON.parse(answer), null, 2)
  assert.deepEqual(usageOf(indented), { promptTokens: 7, outputTokens: 5 })
})

test('thoughts count as output, and what tools read as input', () => {
  const usageMetadata = { ...metadata, thoughtsTokenCount: 100, toolUsePromptTokenCount: 30 }
  assert.deepEqual(usageOf(JSON.stringify({ usageMetadata })), { promptTokens: 37, outputTokens: 105 })
})

test('an answer cut into two chunks at any byte tells the same', () => {
  for (let at = 0; at <= answer.length; at += 1)
    assert.deepEqual(
      usageOf(answer.slice(0, at), answer.slice(at)),
      { promptTokens: 7, outputTokens: 5 },
      `cut at ${at}`,
    )
})

test('an answer that comes byte by byte tells the same', () => {
  assert.deepEqual(usageOf(...answer.split('')), { promptTokens: 7, outputTokens: 5 })
})

test('of several events the last one counts', () => {
  const events = [1, 2, 3].map((count) => {
    const usageMetadata = { promptTokenCount: 7, candidatesTokenCount: count }
    return `data: ${JSON.stringify({ usageMetadata })}\r\n\r\n`
  })
  assert.deepEqual(usageOf(...events), { promptTokens: 7, outputTokens: 3 })
  assert.deepEqual(usageOf(events.join('')), { promptTokens: 7, outputTokens: 3 })
})

test('a text that talks about usage is no usage', () => {
  const text = '"usageMetadata": {"promptTokenCount": 999}'
  const lying = JSON.stringify({ candidates: [{ content: { parts: [{ text }] } }] })
  assert.equal(usageOf(lying), undefined)
  const late = JSON.stringify({ usageMetadata: metadata, text })
  assert.deepEqual(usageOf(late), { promptTokens: 7, outputTokens: 5 })
})

test('a usage that is cut off is passed over for the one before', () => {
  const event = `data: ${JSON.stringify({ usageMetadata: metadata })}\r\n\r\n`
  assert.deepEqual(usageOf(event, 'data: {"usageMetadata": {"promptTokenCount": 70, "cand'), {
    promptTokens: 7,
    outputTokens: 5,
  })
})

test('the usage told before a long event that breaks is not lost', () => {
  const event = `data: ${JSON.stringify({ usageMetadata: metadata })}\r\n\r\n`
  const halfEvent = `data: {"inlineData":"${'A'.repeat(200_000)}`
  const expected = { promptTokens: 7, outputTokens: 5 }
  assert.deepEqual(usageOf(event, halfEvent), expected)
  assert.deepEqual(usageOf(event, halfEvent.slice(0, 100_000), halfEvent.slice(100_000)), expected)
  const small = Array.from({ length: 1000 }, (_, at) => halfEvent.slice(at * 100, at * 100 + 100))
  assert.deepEqual(usageOf(event, ...small), expected)
})

test('the usage at the end of a large answer is read', () => {
  const large = JSON.stringify({ text: 'x'.repeat(300_000), usageMetadata: metadata })
  assert.deepEqual(usageOf(large), { promptTokens: 7, outputTokens: 5 })
  const chunks = large.match(/.{1,65536}/g) ?? []
  assert.deepEqual(usageOf(...chunks), { promptTokens: 7, outputTokens: 5 })
})

test('an answer without usage, an empty one and one of garbage have none', () => {
  assert.equal(usageOf(), undefined)
  assert.equal(usageOf('{}', '{}'), undefined)
  assert.equal(usageOf('"usageMetadata"'), undefined)
  assert.equal(usageOf(Buffer.from([0xff, 0xfe, 0])), undefined)
})

test('counts that are no whole numbers count nothing', () => {
  const usageMetadata = { promptTokenCount: -5, candidatesTokenCount: 'many', thoughtsTokenCount: 1.5 }
  assert.deepEqual(usageOf(JSON.stringify({ usageMetadata })), { promptTokens: 0, outputTokens: 0 })
})
