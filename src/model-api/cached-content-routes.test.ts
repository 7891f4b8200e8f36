import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ModelServer, startModelServer } from '../../test/model-api/model-server.ts'
import { uploadFile } from '../../test/model-api/upload-calls.ts'
import { createWordEngine } from '../../test/model-api/word-engine.ts'
import { forEachEngine, sqlite } from '../../test/store/engines.ts'
import type { WireEngine } from '../engines/engine.ts'
import { migrations } from '../store/migrations.ts'
import type { StoreSchema } from '../store/store.ts'

const noon = Date.parse('2026-03-01T12:00:00Z') * 1000
const vertexPlace = 'projects/demo/locations/global'

const kept = {
  model: 'models/words',
  systemInstruction: { parts: [{ text: 'be brief' }] },
  contents: [{ role: 'user', parts: [{ text: 'once upon a time' }] }],
}

async function create(server: ModelServer, key: string, more: object = {}): Promise<Record<string, string>> {
  const response = await server.call(key, {
    method: 'POST',
    url: '/v1beta/cachedContents',
    payload: { ...kept, ...more },
  })
  assert.equal(response.statusCode, 200, response.body)
  return response.json()
}

test('a cached content answers as the API does, and never with what was cached', async () => {
  await using store = await sqlite.open<StoreSchema>(migrations)
  await using server = await startModelServer({ store, now: () => noon })
  const key = await server.keyFor('alice')
  const { name, ...rest } = await create(server, key, { ttl: '90.5s', display_name: 'tale' })
  assert.match(name ?? '', /^cachedContents\/[a-z0-9]{20,40}$/)
  const expected = {
    model: 'models/words',
    createTime: '2026-03-01T12:00:00.000000Z',
    updateTime: '2026-03-01T12:00:00.000000Z',
    expireTime: '2026-03-01T12:01:30.500000Z',
    displayName: 'tale',
    usageMetadata: { totalTokenCount: 6 },
  }
  assert.deepEqual(rest, expected)
  const got = await server.call(key, { url: `/v1beta/${name}` })
  assert.deepEqual(got.json(), { name, ...expected })
})

test('without ttl and expireTime it lasts an hour', async () => {
  await using store = await sqlite.open<StoreSchema>(migrations)
  await using server = await startModelServer({ store, now: () => noon })
  const { expireTime } = await create(server, await server.keyFor('alice'))
  assert.equal(expireTime, '2026-03-01T13:00:00.000000Z')
})

const updates = [
  ['?updateMask=ttl', { ttl: '7200s' }, '2026-03-01T14:00:00.000000Z'],
  [
    '?updateMask=expireTime',
    { expireTime: '2026-03-02T01:00:00.123456789+01:00' },
    '2026-03-02T00:00:00.123456Z',
  ],
  ['?update_mask=expire_time', { expire_time: '2026-03-02T00:00:00Z' }, '2026-03-02T00:00:00.000000Z'],
  ['', { ttl: '60s' }, '2026-03-01T12:01:00.000000Z'],
] as const

for (const [query, payload, expireTime] of updates)
  test(`PATCH${query} with ${Object.keys(payload).join()} moves the end`, async () => {
    await using store = await sqlite.open<StoreSchema>(migrations)
    await using server = await startModelServer({ store, now: () => noon })
    const key = await server.keyFor('alice')
    const { name } = await create(server, key)
    const response = await server.call(key, { method: 'PATCH', url: `/v1beta/${name}${query}`, payload })
    assert.equal(response.statusCode, 200, response.body)
    assert.equal(response.json().expireTime, expireTime)
  })

const wrongUpdates = [
  ['?updateMask=displayName', { displayName: 'x' }],
  ['?updateMask=ttl', { expireTime: '2026-03-02T00:00:00Z' }],
  ['', {}],
  ['', { ttl: '0s' }],
  ['', { ttl: 'soon' }],
  ['', { ttl: '60s', expireTime: '2026-03-02T00:00:00Z' }],
  ['', { expireTime: '2026-03-01T11:59:59Z' }],
] as const

for (const [query, payload] of wrongUpdates)
  test(`PATCH${query} with ${JSON.stringify(payload)} is refused and changes nothing`, async () => {
    await using store = await sqlite.open<StoreSchema>(migrations)
    await using server = await startModelServer({ store, now: () => noon })
    const key = await server.keyFor('alice')
    const made = await create(server, key)
    const response = await server.call(key, { method: 'PATCH', url: `/v1beta/${made.name}${query}`, payload })
    assert.equal(response.statusCode, 400)
    assert.equal(response.json().error.status, 'INVALID_ARGUMENT')
    assert.deepEqual((await server.call(key, { url: `/v1beta/${made.name}` })).json(), made)
  })

const upstream: WireEngine = {
  ...createWordEngine(),
  kind: 'wire',
  forward: () => undefined,
}

const wrongCreations = [
  [{ model: '' }, 400, 'INVALID_ARGUMENT'],
  [{ model: 'models/none' }, 404, 'NOT_FOUND'],
  [{ model: 'models/upstream' }, 400, 'FAILED_PRECONDITION'],
  [{ contents: [{ parts: [] }] }, 400, 'INVALID_ARGUMENT'],
  [{ contents: null, systemInstruction: null }, 400, 'INVALID_ARGUMENT'],
  [{ colour: 'red' }, 400, 'INVALID_ARGUMENT'],
] as const

for (const [more, code, status] of wrongCreations)
  test(`a cached content with ${JSON.stringify(more)} is refused`, async () => {
    await using store = await sqlite.open<StoreSchema>(migrations)
    await using server = await startModelServer({ store, engines: { words: createWordEngine(), upstream } })
    const response = await server.call(await server.keyFor('alice'), {
      method: 'POST',
      url: '/v1beta/cachedContents',
      payload: { ...kept, ...more },
    })
    assert.equal(response.statusCode, code)
    assert.equal(response.json().error.status, status)
  })

forEachEngine((engine) => {
  test('a walk over the pages meets every cached content of the caller once', async () => {
    await using store = await engine.open<StoreSchema>(migrations)
    await using server = await startModelServer({ store })
    const key = await server.keyFor('alice')
    const made: string[] = []
    for (let count = 0; count < 7; count += 1) made.unshift((await create(server, key)).name ?? '')
    await create(server, await server.keyFor('bob'))
    const met: string[] = []
    let token = ''
    do {
      const url = `/v1beta/cachedContents?pageSize=3&pageToken=${token}`
      const { cachedContents, nextPageToken = '' } = (await server.call(key, { url })).json()
      for (const { name } of cachedContents) met.push(name)
      token = nextPageToken
    } while (token !== '')
    assert.deepEqual(met, made)
  })
})

test('another caller, and everybody after the end, is told the same as for one that never was', async () => {
  await using store = await sqlite.open<StoreSchema>(migrations)
  let time = noon
  await using server = await startModelServer({ store, now: () => time })
  const alice = await server.keyFor('alice')
  const { name } = await create(server, alice)
  const denied = {
    error: {
      code: 403,
      message: 'CachedContent not found (or permission denied)',
      status: 'PERMISSION_DENIED',
    },
  }
  const calls = [
    { method: 'GET', url: `/v1beta/${name}` },
    { method: 'DELETE', url: `/v1beta/${name}` },
    { method: 'PATCH', url: `/v1beta/${name}`, payload: { ttl: '60s' } },
    {
      method: 'POST',
      url: '/v1beta/models/words:generateContent',
      payload: { cachedContent: name, contents: [{ parts: [{ text: 'x' }] }] },
    },
  ] as const
  const bob = await server.keyFor('bob')
  for (const call of calls) assert.deepEqual((await server.call(bob, call)).json(), denied)
  assert.equal((await server.call(alice, calls[0])).statusCode, 200)
  time += 3600 * 1_000_000
  for (const call of calls) assert.deepEqual((await server.call(alice, call)).json(), denied)
})

test('a deleted one is gone, and deleting answers with an empty object', async () => {
  await using store = await sqlite.open<StoreSchema>(migrations)
  await using server = await startModelServer({ store })
  const key = await server.keyFor('alice')
  const { name } = await create(server, key)
  const deleted = await server.call(key, { method: 'DELETE', url: `/v1beta/${name}` })
  assert.deepEqual(deleted.json(), {})
  assert.equal((await server.call(key, { url: `/v1beta/${name}` })).statusCode, 403)
})

test('a file in a cached content outlives its deletion', async () => {
  await using store = await sqlite.open<StoreSchema>(migrations)
  await using server = await startModelServer({ store })
  const key = await server.keyFor('alice')
  const file = await uploadFile(server, key, { bytes: Buffer.from('a file of words') })
  const { name } = await create(server, key, { contents: [{ parts: [{ fileData: { fileUri: file.uri } }] }] })
  await server.call(key, { method: 'DELETE', url: `/v1beta/${file.name}` })
  const response = await server.call(key, {
    method: 'POST',
    url: '/v1beta/models/words:generateContent',
    payload: { cachedContent: name, contents: [{ parts: [{ text: 'indeed' }] }] },
  })
  assert.match(response.body, /be brief a file of words indeed/)
})

test('under the paths of Vertex AI names are full, and places do not see each other', async () => {
  await using store = await sqlite.open<StoreSchema>(migrations)
  await using server = await startModelServer({ store })
  const key = await server.keyFor('alice')
  const model = `${vertexPlace}/publishers/google/models/words`
  const all = `/v1beta1/${vertexPlace}/cachedContents`
  const made = await server.call(key, { method: 'POST', url: all, payload: { ...kept, model } })
  const { name } = made.json()
  assert.equal(made.json().model, model)
  assert.ok(name.startsWith(`${vertexPlace}/cachedContents/`))
  assert.deepEqual((await server.call(key, { url: all })).json(), { cachedContents: [made.json()] })
  assert.deepEqual((await server.call(key, { url: '/v1beta/cachedContents' })).json(), { cachedContents: [] })
  const used = await server.call(key, {
    method: 'POST',
    url: `/v1beta1/${model}:generateContent`,
    payload: { cachedContent: name, contents: [{ role: 'user', parts: [{ text: 'go on' }] }] },
  })
  assert.equal(used.json().usageMetadata.cachedContentTokenCount, 6)
  const elsewhere = await server.call(key, { url: `/v1beta1/${name.replace('global', 'moon')}` })
  assert.equal(elsewhere.statusCode, 404)
  assert.match(elsewhere.json().error.message, /^Not found: cached content metadata for /)
})

const zero = 'a\u0000b'
const withZero = [
  [400, { method: 'POST', url: '/v1beta/cachedContents', payload: { ...kept, displayName: zero } }],
  [400, { method: 'POST', url: '/v1beta/cachedContents', payload: { ...kept, model: `${zero}/words` } }],
  [403, { method: 'GET', url: '/v1beta/cachedContents/%00' }],
  [403, { method: 'DELETE', url: '/v1beta/cachedContents/%00' }],
  [403, { method: 'PATCH', url: '/v1beta/cachedContents/%00', payload: { ttl: '60s' } }],
  [404, { method: 'GET', url: '/v1/projects/%00/locations/global/cachedContents' }],
  [
    403,
    {
      method: 'POST',
      url: '/v1beta/models/words:generateContent',
      payload: { cachedContent: `cachedContents/${zero}`, contents: kept.contents },
    },
  ],
] as const

forEachEngine((engine) => {
  test('a zero character, which Postgres has no text for, is refused or found nowhere', async () => {
    await using store = await engine.open<StoreSchema>(migrations)
    await using server = await startModelServer({ store })
    const key = await server.keyFor('alice')
    for (const [status, call] of withZero)
      assert.equal((await server.call(key, call)).statusCode, status, JSON.stringify(call))
  })
})
