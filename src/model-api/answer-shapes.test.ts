import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Operation } from '../engines/engine.ts'
import {
  batchEmbedAnswer,
  countAnswer,
  embedAnswer,
  modelAnswer,
  predictAnswer,
  publisherModelAnswer,
  vertexEmbedAnswer,
} from './answer-shapes.ts'

const embedding = { values: [0.5, -1], tokenCount: 3 }
const engine = {
  operations: new Set<Operation>(['countTokens', 'generateContent', 'streamGenerateContent']),
  limits: { inputTokenLimit: 200, outputTokenLimit: 50 },
  version: 'v7',
}

test('a count names what was cached only when something was', () => {
  assert.deepEqual(countAnswer({ totalTokens: 5 }), { totalTokens: 5 })
  assert.deepEqual(countAnswer({ totalTokens: 5, cachedContentTokenCount: 2 }), {
    totalTokens: 5,
    cachedContentTokenCount: 2,
  })
})

test('embeddings have the shape of the operation that asked for them', () => {
  assert.deepEqual(embedAnswer(embedding), { embedding: { values: [0.5, -1] } })
  assert.deepEqual(batchEmbedAnswer([embedding, embedding]), {
    embeddings: [{ values: [0.5, -1] }, { values: [0.5, -1] }],
  })
  assert.deepEqual(vertexEmbedAnswer(embedding), {
    embedding: { values: [0.5, -1] },
    usageMetadata: { promptTokenCount: 3, totalTokenCount: 3 },
    truncated: false,
  })
  assert.deepEqual(predictAnswer([embedding]), {
    predictions: [{ embeddings: { values: [0.5, -1], statistics: { token_count: 3, truncated: false } } }],
  })
})

test('a model shows its limits and methods, and of its settings those it has', () => {
  assert.deepEqual(modelAnswer({ name: 'tiny', engine }), {
    name: 'models/tiny',
    baseModelId: 'tiny',
    version: 'v7',
    displayName: 'tiny',
    inputTokenLimit: 200,
    outputTokenLimit: 50,
    supportedGenerationMethods: ['generateContent', 'streamGenerateContent', 'countTokens'],
  })
  const settings = { description: 'd', temperature: 1, maxTemperature: 2, topP: 0.9, topK: 40 }
  assert.deepEqual(modelAnswer({ name: 'tiny', engine, displayName: 'Tiny', ...settings }), {
    name: 'models/tiny',
    baseModelId: 'tiny',
    version: 'v7',
    displayName: 'Tiny',
    inputTokenLimit: 200,
    outputTokenLimit: 50,
    supportedGenerationMethods: ['generateContent', 'streamGenerateContent', 'countTokens'],
    ...settings,
  })
})

test('the same model is a publisher model on Vertex paths', () => {
  assert.deepEqual(publisherModelAnswer({ name: 'tiny', engine, description: 'd' }), {
    name: 'publishers/google/models/tiny',
    versionId: 'v7',
    displayName: 'tiny',
    description: 'd',
    launchStage: 'GA',
  })
})
