import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ModelServer, startModelServer } from '../../test/model-api/model-server.ts'
import { createWordEngine } from '../../test/model-api/word-engine.ts'
import { sqlite } from '../../test/store/engines.ts'
import { migrations } from '../store/migrations.ts'
import type { StoreSchema } from '../store/store.ts'

const tools = [{ functionDeclarations: [{ name: 'look' }] }]
const toolConfig = { functionCallingConfig: { mode: 'ANY' } }

async function cacheOf(server: ModelServer, key: string): Promise<string> {
  const response = await server.call(key, {
    method: 'POST',
    url: '/v1beta/cachedContents',
    payload: {
      model: 'models/words',
      system_instruction: { parts: [{ text: 'be brief' }] },
      contents: [{ role: 'user', parts: [{ text: 'once upon' }] }],
      tools,
      toolConfig,
    },
  })
  return response.json().name
}

const question = [{ role: 'user', parts: [{ text: 'a time' }] }]

test('what was cached stands before what is sent, and its tokens are told', async () => {
  await using store = await sqlite.open<StoreSchema>(migrations)
  const engine = createWordEngine()
  await using server = await startModelServer({ store, engines: { words: engine } })
  const key = await server.keyFor('alice')
  const cachedContent = await cacheOf(server, key)
  const response = await server.call(key, {
    method: 'POST',
    url: '/v1beta/models/words:generateContent',
    payload: { cachedContent, contents: question, generationConfig: { temperature: 0 } },
  })
  assert.deepEqual(response.json().usageMetadata, {
    promptTokenCount: 6,
    candidatesTokenCount: 6,
    cachedContentTokenCount: 4,
    totalTokenCount: 12,
  })
  assert.deepEqual(engine.seen.at(-1), {
    systemInstruction: { parts: [{ text: 'be brief' }] },
    contents: [{ role: 'user', parts: [{ text: 'once upon' }] }, ...question],
    tools,
    toolConfig,
    generationConfig: { temperature: 0 },
  })
})

test('a stream tells the cached tokens where it tells the usage', async () => {
  await using store = await sqlite.open<StoreSchema>(migrations)
  await using server = await startModelServer({ store })
  const key = await server.keyFor('alice')
  const response = await server.call(key, {
    method: 'POST',
    url: '/v1beta/models/words:streamGenerateContent?alt=sse',
    payload: { cachedContent: await cacheOf(server, key), contents: question },
  })
  assert.deepEqual(response.body.match(/"cachedContentTokenCount":\d+/g), ['"cachedContentTokenCount":4'])
})

test('a count tells how many of all the tokens are cached', async () => {
  await using store = await sqlite.open<StoreSchema>(migrations)
  await using server = await startModelServer({ store })
  const key = await server.keyFor('alice')
  const cachedContent = await cacheOf(server, key)
  const response = await server.call(key, {
    method: 'POST',
    url: '/v1beta/models/words:countTokens',
    payload: { generateContentRequest: { model: 'models/words', cachedContent, contents: question } },
  })
  assert.deepEqual(response.json(), { totalTokens: 6, cachedContentTokenCount: 4 })
})

const both = [{ systemInstruction: { parts: [{ text: 'x' }] } }, { tools }, { toolConfig }] as const

for (const more of both)
  test(`a cached content cannot be used beside ${Object.keys(more).join()}`, async () => {
    await using store = await sqlite.open<StoreSchema>(migrations)
    await using server = await startModelServer({ store })
    const key = await server.keyFor('alice')
    const response = await server.call(key, {
      method: 'POST',
      url: '/v1beta/models/words:generateContent',
      payload: { cachedContent: await cacheOf(server, key), contents: question, ...more },
    })
    assert.deepEqual(response.json(), {
      error: {
        code: 400,
        message:
          'CachedContent can not be used with GenerateContent request setting system_instruction, tools or tool_config.\n\nProposed fix: move those values to CachedContent from GenerateContent request.',
        status: 'INVALID_ARGUMENT',
      },
    })
  })

test('a cached content is for the model it was made for', async () => {
  await using store = await sqlite.open<StoreSchema>(migrations)
  await using server = await startModelServer({ store, aliases: { 'other-*': 'words' } })
  const key = await server.keyFor('alice')
  const response = await server.call(key, {
    method: 'POST',
    url: '/v1beta/models/other-one:generateContent',
    payload: { cachedContent: await cacheOf(server, key), contents: question },
  })
  assert.equal(
    response.json().error.message,
    'Model used by GenerateContent request (models/other-one) and CachedContent (models/words) has to be the same.',
  )
})
