import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startModelServer } from '../../test/model-api/model-server.ts'
import { startUpload, uploadFile } from '../../test/model-api/upload-calls.ts'
import { forEachEngine, sqlite } from '../../test/store/engines.ts'
import { migrations } from '../store/migrations.ts'
import type { StoreSchema } from '../store/store.ts'

forEachEngine((engine) => {
  test('a walk over the pages meets every file of the caller once, newest first', async () => {
    await using store = await engine.open<StoreSchema>(migrations)
    await using server = await startModelServer({ store })
    const key = await server.keyFor('alice')
    const bytes = Buffer.from('x')
    const made: string[] = []
    for (let count = 0; count < 23; count += 1)
      made.unshift((await uploadFile(server, key, { bytes })).name ?? '')
    await uploadFile(server, await server.keyFor('bob'), { bytes })
    const met: string[] = []
    const sizes: number[] = []
    let token = ''
    do {
      const response = await server.call(key, { url: `/v1beta/files?pageToken=${token}` })
      const { files, nextPageToken = '' } = response.json()
      sizes.push(files.length)
      for (const { name } of files) met.push(name)
      token = nextPageToken
    } while (token !== '')
    assert.deepEqual(met, made)
    assert.deepEqual(sizes, [10, 10, 3])
  })
})

test('a page holds at most 100, and a page token is for its caller alone', async () => {
  await using store = await sqlite.open<StoreSchema>(migrations)
  await using server = await startModelServer({ store })
  const key = await server.keyFor('alice')
  for (let count = 0; count < 102; count += 1)
    await server.call(key, { method: 'POST', url: '/v1beta/files', payload: {} })
  const page = await server.call(key, { url: '/v1beta/files?page_size=5000' })
  assert.equal(page.json().files.length, 100)
  const bob = await server.keyFor('bob')
  const stolen = await server.call(bob, { url: `/v1beta/files?pageToken=${page.json().nextPageToken}` })
  assert.equal(stolen.statusCode, 400)
  assert.deepEqual((await server.call(bob, { url: '/v1beta/files' })).json(), { files: [] })
})

const oneFile = [
  ['GET', ''],
  ['DELETE', ''],
  ['GET', ':download?alt=media'],
] as const

for (const [method, suffix] of oneFile)
  test(`${method} files/ID${suffix} does not tell another's file from one that is not there`, async () => {
    await using store = await sqlite.open<StoreSchema>(migrations)
    await using server = await startModelServer({ store })
    const alice = await server.keyFor('alice')
    await uploadFile(server, alice, { bytes: Buffer.from('mine'), file: { name: 'files/mine' } })
    await startUpload(server, alice, { file: { name: 'files/open' } })
    const bob = await server.keyFor('bob')
    for (const id of ['mine', 'open', 'none', '..%2fkeys']) {
      const response = await server.call(bob, { method, url: `/v1beta/files/${id}${suffix}` })
      assert.equal(response.statusCode, 403)
      assert.deepEqual(response.json(), {
        error: {
          code: 403,
          message: `You do not have permission to access the File ${decodeURIComponent(id)} or it may not exist.`,
          status: 'PERMISSION_DENIED',
        },
      })
    }
    assert.equal((await server.call(alice, { url: '/v1beta/files/mine' })).statusCode, 200)
  })

test('a deleted file is gone for every use, and deleting answers with an empty object', async () => {
  await using store = await sqlite.open<StoreSchema>(migrations)
  await using server = await startModelServer({ store })
  const key = await server.keyFor('alice')
  const { name, uri } = await uploadFile(server, key, { bytes: Buffer.from('mine') })
  const deleted = await server.call(key, {
    method: 'DELETE',
    url: `/v1beta/${name}`,
    headers: { 'content-type': 'application/json' },
    payload: '{}',
  })
  assert.equal(deleted.statusCode, 200)
  assert.deepEqual(deleted.json(), {})
  assert.equal((await server.call(key, { url: `/v1/${name}` })).statusCode, 403)
  const used = await server.call(key, {
    method: 'POST',
    url: '/v1beta/models/words:generateContent',
    payload: { contents: [{ parts: [{ fileData: { fileUri: uri } }] }] },
  })
  assert.equal(used.statusCode, 403)
  assert.deepEqual(await store.db.selectFrom('file_chunks').select('upload').execute(), [])
})

test('after 48 hours a file vanishes from every answer at once', async () => {
  await using store = await sqlite.open<StoreSchema>(migrations)
  let time = 1_800_000_000_000_000
  await using server = await startModelServer({ store, now: () => time })
  const key = await server.keyFor('alice')
  const { name } = await uploadFile(server, key, { bytes: Buffer.from('mine') })
  time += 48 * 3600 * 1_000_000 - 1
  assert.equal((await server.call(key, { url: `/v1beta/${name}` })).statusCode, 200)
  time += 1
  assert.equal((await server.call(key, { url: `/v1beta/${name}` })).statusCode, 403)
  assert.deepEqual((await server.call(key, { url: '/v1beta/files' })).json(), { files: [] })
})

test('a file made of metadata alone is empty', async () => {
  await using store = await sqlite.open<StoreSchema>(migrations)
  await using server = await startModelServer({ store })
  const response = await server.call(await server.keyFor('alice'), {
    method: 'POST',
    url: '/v1beta/files',
    payload: { file: { name: 'files/empty', mime_type: 'text/plain', size_bytes: '7' } },
  })
  const { name, mimeType, sizeBytes, state } = response.json().file
  assert.deepEqual(
    { name, mimeType, sizeBytes, state },
    { name: 'files/empty', mimeType: 'text/plain', sizeBytes: '0', state: 'ACTIVE' },
  )
})

test('a download is of its type, but no page of ours', async () => {
  await using store = await sqlite.open<StoreSchema>(migrations)
  await using server = await startModelServer({ store })
  const key = await server.keyFor('alice')
  const bytes = Buffer.from('<script>alert(1)</script>')
  const { name } = await uploadFile(server, key, { bytes, type: 'text/html' })
  const response = await server.call(key, { url: `/v1beta/${name}:download?alt=media` })
  assert.equal(response.headers['content-type'], 'text/html')
  assert.equal(response.headers['content-disposition'], 'attachment')
  assert.equal(response.headers['x-content-type-options'], 'nosniff')
  assert.deepEqual(response.rawPayload, bytes)
  assert.equal(server.decisions.at(-1)?.action, 'downloadFile')
  const without = await server.call(key, { url: `/v1beta/${name}:download` })
  assert.equal(without.statusCode, 400)
})

const zero = 'a\u0000b'
const withZero = [
  [400, { method: 'POST', url: '/v1beta/files', payload: { file: { displayName: zero } } }],
  [403, { method: 'GET', url: '/v1beta/files/%00' }],
  [403, { method: 'DELETE', url: '/v1beta/files/%00' }],
  [403, { method: 'GET', url: '/v1beta/files/%00:download?alt=media' }],
  [
    403,
    {
      method: 'POST',
      url: '/v1beta/models/words:generateContent',
      payload: { contents: [{ parts: [{ fileData: { fileUri: `files/${zero}` } }] }] },
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
