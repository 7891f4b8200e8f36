import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ModelServer, startModelServer } from '../../test/model-api/model-server.ts'
import { createWordEngine } from '../../test/model-api/word-engine.ts'
import { sqlite } from '../../test/store/engines.ts'
import { createApiKeys } from '../store/api-keys.ts'
import { microsecondClock } from '../store/clock.ts'
import { migrations } from '../store/migrations.ts'
import type { Store, StoreSchema } from '../store/store.ts'

const names = Array.from({ length: 60 }, (_, index) => `model-${index + 10}`)

interface Served {
  readonly server: ModelServer
  readonly get: (path: string, key?: string) => Promise<{ readonly status: number; readonly body: unknown }>
  readonly keyFor: (models: readonly string[]) => Promise<string>
}

async function serve(store: Store): Promise<Served & AsyncDisposable> {
  const engines = Object.fromEntries(names.toReversed().map((name) => [name, createWordEngine()]))
  const server = await startModelServer({ store, engines, aliases: { 'gemini-*': 'model-10' } })
  const all = await server.keyFor('all')
  const keys = createApiKeys(store, microsecondClock())
  return {
    server,
    get: async (path, key = all) => {
      const { statusCode: status, body } = await server.call(key, { method: 'GET', url: path })
      return { status, body: JSON.parse(body) }
    },
    keyFor: async (models) => (await keys.create({ name: 'some', principal: 'some', models })).key,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
}

function namesIn(body: unknown, items = 'models'): string[] {
  return Object(body)[items].map(({ name }: { name: string }) => name)
}

test('a page has 50 models unless asked for another size, in the order of their names', async () => {
  await using store = await sqlite.open<StoreSchema>(migrations)
  await using served = await serve(store)
  const first = await served.get('/v1beta/models')
  assert.deepEqual(
    namesIn(first.body),
    names.slice(0, 50).map((name) => `models/${name}`),
  )
  const token = String(Object(first.body).nextPageToken)
  const second = await served.get(`/v1beta/models?pageToken=${token}`)
  assert.deepEqual(
    namesIn(second.body),
    names.slice(50).map((name) => `models/${name}`),
  )
  assert.ok(!('nextPageToken' in Object(second.body)))
})

test('a size that is too large is lowered, and clients may spell it either way', async () => {
  await using store = await sqlite.open<StoreSchema>(migrations)
  await using served = await serve(store)
  for (const [query, count] of [
    ['pageSize=5000', 60],
    ['page_size=2', 2],
    ['pageSize=0', 50],
    ['pageSize=1&prettyPrint=false&$alt=json;enum-encoding=int&fields=models', 1],
  ] as const)
    assert.equal(namesIn((await served.get(`/v1beta/models?${query}`)).body).length, count, query)
})

test('a bad size, a bad token and a token of the other list are refused', async () => {
  await using store = await sqlite.open<StoreSchema>(migrations)
  await using served = await serve(store)
  const { body } = await served.get('/v1beta/models?pageSize=1')
  const token = String(Object(body).nextPageToken)
  for (const path of [
    '/v1beta/models?pageSize=-1',
    '/v1beta/models?pageSize=ten',
    '/v1beta/models?pageSize=1&pageSize=2',
    '/v1beta/models?pageToken=x',
    `/v1beta/models?pageToken=${token}x`,
    `/v1beta1/publishers/google/models?pageToken=${token}`,
  ]) {
    const refused = await served.get(path)
    assert.equal(refused.status, 400, path)
    assert.equal(Object(refused.body).error.status, 'INVALID_ARGUMENT')
  }
})

test('a key for some models sees these alone, page by page', async () => {
  await using store = await sqlite.open<StoreSchema>(migrations)
  await using served = await serve(store)
  const key = await served.keyFor(['model-1*', 'gemini-2'])
  const seen: string[] = []
  for (let token: string | undefined = ''; token !== undefined; ) {
    const { body } = await served.get(`/v1beta/models?pageSize=4&pageToken=${token}`, key)
    seen.push(...namesIn(body))
    token = Object(body).nextPageToken
  }
  assert.deepEqual(
    seen,
    names.slice(0, 10).map((name) => `models/${name}`),
  )
  for (const [name, status] of [
    ['model-12', 200],
    ['gemini-2', 200],
    ['model-20', 404],
    ['gemini-3', 404],
  ] as const)
    assert.equal((await served.get(`/v1beta/models/${name}`, key)).status, status, name)
})

test('a model is shown under the name it was asked for, with what it can do', async () => {
  await using store = await sqlite.open<StoreSchema>(migrations)
  await using served = await serve(store)
  const { body } = await served.get('/v1beta/models/gemini-3.5-flash')
  assert.deepEqual(body, {
    name: 'models/gemini-3.5-flash',
    baseModelId: 'gemini-3.5-flash',
    version: 'words-1',
    displayName: 'gemini-3.5-flash',
    inputTokenLimit: 100_000,
    outputTokenLimit: 100_000,
    supportedGenerationMethods: ['generateContent', 'streamGenerateContent', 'countTokens'],
  })
})

test('the publisher of Vertex AI has the same models in its own form', async () => {
  await using store = await sqlite.open<StoreSchema>(migrations)
  await using served = await serve(store)
  const { body } = await served.get('/v1beta1/publishers/google/models?pageSize=2')
  assert.deepEqual(namesIn(body, 'publisherModels'), [
    'publishers/google/models/model-10',
    'publishers/google/models/model-11',
  ])
  const one = await served.get('/v1beta1/publishers/google/models/model-11')
  assert.equal(Object(one.body).name, 'publishers/google/models/model-11')
})

test('a model that is not there is told apart from a method that is not there', async () => {
  await using store = await sqlite.open<StoreSchema>(migrations)
  await using served = await serve(store)
  const { status, body } = await served.get('/v1beta/models/nope')
  assert.deepEqual(
    [status, Object(body).error.message],
    [404, 'Model is not found: models/nope for api version v1beta'],
  )
})
