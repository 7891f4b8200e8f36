import assert from 'node:assert/strict'
import { hash, randomBytes } from 'node:crypto'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { ApiError, GoogleGenAI } from '@google/genai'
import { microsecondClock } from '../../src/store/clock.ts'
import { migrations } from '../../src/store/migrations.ts'
import { createServiceAccounts } from '../../src/store/service-accounts.ts'
import type { StoreSchema } from '../../src/store/store.ts'
import { sqlite } from '../store/engines.ts'
import { type ModelServer, startModelServer } from './model-server.ts'
import { downloaded } from './upload-calls.ts'

function clientOf({ publicUrl }: ModelServer, apiKey: string): GoogleGenAI {
  return new GoogleGenAI({ apiKey, httpOptions: { baseUrl: publicUrl } })
}

test('the official client uploads a blob in several pieces', async () => {
  await using store = await sqlite.open<StoreSchema>(migrations)
  await using server = await startModelServer({ store, isListening: true })
  const key = await server.keyFor('alice')
  const bytes = randomBytes(9_000_000)
  const file = await clientOf(server, key).files.upload({
    file: new Blob([bytes]),
    config: { name: 'big-one', displayName: 'Big one', mimeType: 'application/octet-stream' },
  })
  assert.equal(file.name, 'files/big-one')
  assert.equal(file.displayName, 'Big one')
  assert.equal(file.state, 'ACTIVE')
  assert.equal(file.sizeBytes, '9000000')
  assert.equal(Buffer.from(file.sha256Hash ?? '', 'base64').toString(), hash('sha256', bytes))
  assert.deepEqual(await downloaded(server, key, file.name), bytes)
})

test('the official client uploads from a path, uses, lists, gets, downloads and deletes', async () => {
  await using store = await sqlite.open<StoreSchema>(migrations)
  await using server = await startModelServer({ store, isListening: true })
  const ai = clientOf(server, await server.keyFor('alice'))
  const folder = await mkdtemp(join(tmpdir(), 'postern-files-'))
  const path = join(folder, 'tale.txt')
  await writeFile(path, 'once upon a time')
  const file = await ai.files.upload({ file: path })
  assert.equal(file.mimeType, 'text/plain')
  const answer = await ai.models.generateContent({
    model: 'words',
    contents: [{ role: 'user', parts: [{ fileData: { fileUri: file.uri ?? '', mimeType: 'text/plain' } }] }],
  })
  assert.equal(answer.text, 'once upon a time')
  for (let count = 0; count < 4; count += 1)
    await ai.files.upload({ file: new Blob([`${count}`]), config: { mimeType: 'text/plain' } })
  const names: (string | undefined)[] = []
  for await (const { name } of await ai.files.list({ config: { pageSize: 2 } })) names.push(name)
  assert.equal(new Set(names).size, 5)
  assert.equal(names.at(-1), file.name)
  const name = file.name ?? ''
  assert.deepEqual(await ai.files.get({ name }), file)
  const copy = join(folder, 'copy.txt')
  await ai.files.download({ file: name, downloadPath: copy })
  assert.equal(await readFile(copy, 'utf8'), 'once upon a time')
  await ai.files.delete({ name })
  await assert.rejects(ai.files.get({ name }), (error) => error instanceof ApiError && error.status === 403)
  await rm(folder, { recursive: true })
})

test('the official client creates, uses, changes, lists and deletes caches', async () => {
  await using store = await sqlite.open<StoreSchema>(migrations)
  await using server = await startModelServer({ store, isListening: true })
  const ai = clientOf(server, await server.keyFor('alice'))
  const cache = await ai.caches.create({
    model: 'words',
    config: { contents: 'once upon', systemInstruction: 'be brief', ttl: '60s', displayName: 'tale' },
  })
  const name = cache.name ?? ''
  assert.equal(cache.usageMetadata?.totalTokenCount, 4)
  const answer = await ai.models.generateContent({
    model: 'words',
    contents: 'a time',
    config: { cachedContent: name },
  })
  assert.equal(answer.text, 'be brief once upon a time')
  assert.equal(answer.usageMetadata?.cachedContentTokenCount, 4)
  const longer = await ai.caches.update({ name, config: { ttl: '3600s' } })
  assert.ok(Date.parse(longer.expireTime ?? '') > Date.parse(cache.expireTime ?? '') + 3_000_000)
  assert.deepEqual(await ai.caches.get({ name }), longer)
  const names: (string | undefined)[] = []
  for await (const one of await ai.caches.list({ config: { pageSize: 1 } })) names.push(one.name)
  assert.deepEqual(names, [name])
  await ai.caches.delete({ name })
  await assert.rejects(ai.caches.get({ name }), /CachedContent not found \(or permission denied\)/)
})

test('the official client of Vertex AI keeps caches under its project', async () => {
  await using store = await sqlite.open<StoreSchema>(migrations)
  await using server = await startModelServer({ store, isListening: true })
  const credentials = await createServiceAccounts(store, microsecondClock()).create({
    name: 'robot',
    project: 'demo',
    scopes: ['https://www.googleapis.com/auth/cloud-platform'],
    universeDomain: 'models.example',
    tokenUri: `${server.publicUrl}/token`,
  })
  const ai = new GoogleGenAI({
    vertexai: true,
    project: 'demo',
    location: 'global',
    httpOptions: { baseUrl: server.publicUrl },
    googleAuthOptions: { credentials },
  })
  const cache = await ai.caches.create({ model: 'words', config: { contents: 'once upon', ttl: '60s' } })
  assert.match(cache.name ?? '', /^projects\/demo\/locations\/global\/cachedContents\//)
  const answer = await ai.models.generateContent({
    model: 'words',
    contents: 'a time',
    config: { cachedContent: cache.name ?? '' },
  })
  assert.equal(answer.text, 'once upon a time')
})
