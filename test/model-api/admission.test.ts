import assert from 'node:assert/strict'
import { test } from 'node:test'
import { GoogleGenAI } from '@google/genai'
import { createApiKeys } from '../../src/store/api-keys.ts'
import { microsecondClock } from '../../src/store/clock.ts'
import { migrations } from '../../src/store/migrations.ts'
import type { StoreSchema } from '../../src/store/store.ts'
import { countingAdmission, quotaMessage } from '../serving/counting-admission.ts'
import { sqlite } from '../store/engines.ts'
import { refusalOf, rpc } from './error-bodies.ts'
import { startModelServer } from './model-server.ts'
import { createWordEngine } from './word-engine.ts'

const hello = { contents: [{ parts: [{ text: 'hello' }] }] }
const error = {
  code: 429,
  message: `You exceeded your current quota, please check your plan and billing details. ${quotaMessage}`,
  status: 'RESOURCE_EXHAUSTED',
  details: [
    rpc('QuotaFailure', { violations: [{ description: quotaMessage }] }),
    rpc('RetryInfo', { retryDelay: '11.5s' }),
  ],
}

for (const isLate of [false, true])
  test(`a request over its limit is RESOURCE_EXHAUSTED${isLate ? ', also when that is known later' : ''}`, async () => {
    await using store = await sqlite.open<StoreSchema>(migrations)
    const words = createWordEngine()
    const admission = countingAdmission({ refuses: 'request', isLate })
    await using server = await startModelServer({ store, engines: { words }, admission })
    const key = await server.keyFor('ann')
    for (const call of [
      { method: 'POST', url: '/v1beta/models/words:generateContent', payload: hello },
      { method: 'GET', url: '/v1beta/models' },
    ] as const) {
      const response = await server.call(key, call)
      assert.deepEqual([response.statusCode, response.headers['retry-after']], [429, '12'])
      assert.deepEqual(response.json(), { error })
      const { outcome, reason, status } = server.decisions.at(-1) ?? {}
      assert.deepEqual([outcome, reason, status], ['deny', 'quota', 429])
    }
    assert.equal(server.decisions.length, 2)
    assert.equal(words.seen.length, 0)
  })

test('every request is counted once, a call for its model by its own name, one that may not be made for none', async () => {
  await using store = await sqlite.open<StoreSchema>(migrations)
  const admission = countingAdmission()
  await using server = await startModelServer({ store, admission, aliases: { 'gemini-*': 'words' } })
  const key = await server.keyFor('ann')
  const narrow = (await createApiKeys(store, microsecondClock()).create({ name: 'ben', models: ['other'] }))
    .key
  const statuses: number[] = []
  for (const [caller, method, url] of [
    [key, 'POST', '/v1beta/models/words:countTokens'],
    [key, 'POST', '/v1beta/models/gemini-flash:countTokens'],
    [key, 'POST', '/v1beta/models/nope:countTokens'],
    [key, 'GET', '/v1beta/models'],
    [narrow, 'POST', '/v1beta/models/words:countTokens'],
    ['of-nobody', 'GET', '/v1beta/models'],
  ] as const)
    statuses.push(
      (await server.call(caller, { method, url, ...(method === 'POST' && { payload: hello }) })).statusCode,
    )
  assert.deepEqual(statuses, [200, 200, 404, 200, 403, 400])
  const who = server.decisions[0]?.principal?.subject
  assert.deepEqual(admission.asked, [
    `request ${who} model:words`,
    `request ${who} model:words`,
    `request ${who} -`,
    `request ${who} -`,
    'request ben -',
  ])
})

test('the official client reads which limit was passed and when to come back', async () => {
  await using store = await sqlite.open<StoreSchema>(migrations)
  const admission = countingAdmission({ refuses: 'request' })
  await using server = await startModelServer({ store, admission, isListening: true })
  const ai = new GoogleGenAI({
    apiKey: await server.keyFor('ann'),
    httpOptions: { baseUrl: server.publicUrl },
  })
  for (const asked of [
    ai.models.generateContent({ model: 'words', contents: 'hi' }),
    ai.models.generateContentStream({ model: 'words', contents: 'hi' }),
  ]) {
    const refusal = await refusalOf(asked)
    assert.equal(refusal.status, 429)
    assert.deepEqual(JSON.parse(refusal.message), { error })
  }
})
