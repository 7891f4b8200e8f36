import assert from 'node:assert/strict'
import { hash, randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { startModelServer } from '../../test/model-api/model-server.ts'
import { startHeaders, startUpload, uploadFile, uploadStep } from '../../test/model-api/upload-calls.ts'
import { sqlite } from '../../test/store/engines.ts'
import { fileLimits } from '../store/files-limits.ts'
import { migrations } from '../store/migrations.ts'
import type { StoreSchema } from '../store/store.ts'

test('an upload in one piece answers as the API does', async () => {
  await using store = await sqlite.open<StoreSchema>(migrations)
  await using server = await startModelServer({ store, now: clock() })
  const key = await server.keyFor('alice')
  const bytes = Buffer.from('{"looks": "like JSON", ')
  const start = await server.call(key, {
    method: 'POST',
    url: '/upload/v1beta/files',
    headers: {
      'content-type': 'application/json',
      'x-goog-upload-protocol': 'resumable',
      'x-goog-upload-command': 'start',
      'x-goog-upload-header-content-length': String(bytes.length),
      'x-goog-upload-header-content-type': 'text/markdown',
    },
    payload: JSON.stringify({ file: { name: 'files/notes-1', display_name: 'Notes' } }),
  })
  assert.equal(start.statusCode, 200)
  assert.equal(start.body, '')
  assert.equal(start.headers['x-goog-upload-status'], 'active')
  assert.match(String(start.headers['x-goog-upload-chunk-granularity']), /^\d+$/)
  const url = String(start.headers['x-goog-upload-url'])
  assert.match(url, /^http:\/\/127\.0\.0\.1:8080\/upload\/v1beta\/files\?upload_id=[\w-]{43}&/)

  const response = await uploadStep(server, key, {
    url: url.slice(server.publicUrl.length),
    command: 'upload, finalize',
    offset: 0,
    bytes,
  })
  assert.equal(response.statusCode, 200)
  assert.equal(response.headers['x-goog-upload-status'], 'final')
  assert.deepEqual(response.json(), {
    file: {
      name: 'files/notes-1',
      displayName: 'Notes',
      mimeType: 'text/markdown',
      sizeBytes: String(bytes.length),
      createTime: '2026-03-01T12:00:00.000001Z',
      updateTime: '2026-03-01T12:00:00.000001Z',
      expirationTime: '2026-03-03T12:00:00.000001Z',
      sha256Hash: Buffer.from(hash('sha256', bytes)).toString('base64'),
      uri: 'http://127.0.0.1:8080/v1beta/files/notes-1',
      downloadUri: 'http://127.0.0.1:8080/v1beta/files/notes-1:download?alt=media',
      state: 'ACTIVE',
      source: 'UPLOADED',
    },
  })
})

function clock(): () => number {
  return () => Date.parse('2026-03-01T12:00:00Z') * 1000 + 1
}

test('an upload goes on without a credential, as official clients do, and is told under its principal', async () => {
  await using store = await sqlite.open<StoreSchema>(migrations)
  await using server = await startModelServer({ store })
  const key = await server.keyFor('alice')
  const url = await startUpload(server, key, { size: 2 })
  const response = await server.server.inject({
    method: 'POST',
    url,
    headers: {
      host: '127.0.0.1:8080',
      'x-goog-upload-command': 'upload, finalize',
      'x-goog-upload-offset': '0',
    },
    payload: 'hi',
  })
  assert.equal(response.statusCode, 200, response.body)
  const decision = server.decisions.at(-1)
  assert.equal(decision?.principal?.subject, 'alice')
  assert.equal(decision?.principal?.credential.kind, 'api-key')
})

test('an upload id is worth nothing to another principal, and a wrong credential is not ignored', async () => {
  await using store = await sqlite.open<StoreSchema>(migrations)
  await using server = await startModelServer({ store })
  const url = await startUpload(server, await server.keyFor('alice'))
  for (const [key, status] of [
    [await server.keyFor('bob'), 404],
    ['not a key', 400],
  ] as const) {
    const response = await uploadStep(server, key, { url, command: 'query' })
    assert.equal(response.statusCode, status)
    assert.equal(response.headers['x-goog-upload-status'], 'final')
  }
})

test('a start without a credential is refused', async () => {
  await using store = await sqlite.open<StoreSchema>(migrations)
  await using server = await startModelServer({ store })
  const response = await server.server.inject({
    method: 'POST',
    url: '/upload/v1beta/files',
    headers: { host: '127.0.0.1:8080', ...startHeaders },
    payload: '{}',
  })
  assert.equal(response.statusCode, 403)
  assert.equal(response.json().error.status, 'PERMISSION_DENIED')
})

const wrongSteps = [
  ['a wrong offset', { command: 'upload', offset: 3, bytes: Buffer.from('x') }, 409, 'ABORTED'],
  ['no offset', { command: 'upload', bytes: Buffer.from('x') }, 400, 'INVALID_ARGUMENT'],
  ['more than was announced', { command: 'upload', offset: 2, bytes: Buffer.alloc(9) }, 400, 'OUT_OF_RANGE'],
  ['less than was announced', { command: 'finalize' }, 400, 'FAILED_PRECONDITION'],
  ['an unknown command', { command: 'dance' }, 400, 'INVALID_ARGUMENT'],
] as const

for (const [what, step, code, status] of wrongSteps)
  test(`${what} is refused, and the upload can still go on`, async () => {
    await using store = await sqlite.open<StoreSchema>(migrations)
    await using server = await startModelServer({ store })
    const key = await server.keyFor('alice')
    const url = await startUpload(server, key, { size: 4 })
    await uploadStep(server, key, { url, command: 'upload', offset: 0, bytes: Buffer.from('ab') })
    const refused = await uploadStep(server, key, { url, ...step })
    assert.equal(refused.statusCode, code)
    assert.equal(refused.json().error.status, status)
    assert.equal(refused.headers['x-goog-upload-status'], 'active')
    const bytes = Buffer.from('cd')
    const last = await uploadStep(server, key, { url, command: 'upload, finalize', offset: 2, bytes })
    assert.equal(last.json().file.sizeBytes, '4')
  })

test('the last answer is told again to whoever lost it, and the file is not changed', async () => {
  await using store = await sqlite.open<StoreSchema>(migrations)
  await using server = await startModelServer({ store })
  const key = await server.keyFor('alice')
  const url = await startUpload(server, key)
  const step = { url, command: 'upload, finalize', offset: 0, bytes: Buffer.from('once') }
  const first = await uploadStep(server, key, step)
  const again = await uploadStep(server, key, step)
  assert.deepEqual(again.json(), first.json())
  const more = await uploadStep(server, key, { ...step, command: 'upload', offset: 4 })
  assert.equal(more.statusCode, 400)
})

test('a cancelled upload is gone, with its bytes', async () => {
  await using store = await sqlite.open<StoreSchema>(migrations)
  await using server = await startModelServer({ store })
  const key = await server.keyFor('alice')
  const url = await startUpload(server, key)
  await uploadStep(server, key, { url, command: 'upload', offset: 0, bytes: Buffer.from('gone') })
  const cancelled = await uploadStep(server, key, { url, command: 'cancel' })
  assert.equal(cancelled.statusCode, 200)
  assert.equal(cancelled.headers['x-goog-upload-status'], 'cancelled')
  assert.equal((await uploadStep(server, key, { url, command: 'query' })).statusCode, 404)
  assert.deepEqual(await store.db.selectFrom('file_chunks').select('upload').execute(), [])
})

test('a file over the limit is refused at its start, or as soon as it grows over it', async () => {
  await using store = await sqlite.open<StoreSchema>(migrations)
  await using server = await startModelServer({ store, fileLimits: { ...fileLimits, fileBytes: 10 } })
  const key = await server.keyFor('alice')
  await assert.rejects(startUpload(server, key, { size: 11 }), /400 .*INVALID_ARGUMENT/s)
  const url = await startUpload(server, key)
  const grown = await uploadStep(server, key, { url, command: 'upload', offset: 0, bytes: Buffer.alloc(11) })
  assert.equal(grown.statusCode, 400)
  assert.match(grown.json().error.message, /at most 10 bytes/)
})

test('when the room of a principal is full, the answer is RESOURCE_EXHAUSTED', async () => {
  await using store = await sqlite.open<StoreSchema>(migrations)
  await using server = await startModelServer({ store, fileLimits: { ...fileLimits, ownerBytes: 10_000 } })
  const key = await server.keyFor('alice')
  await uploadFile(server, key, { bytes: randomBytes(9000) })
  await assert.rejects(startUpload(server, key, { size: 9000 }), /429 .*RESOURCE_EXHAUSTED/s)
})

test('a chosen name is checked, and is taken once', async () => {
  await using store = await sqlite.open<StoreSchema>(migrations)
  await using server = await startModelServer({ store })
  const key = await server.keyFor('alice')
  for (const name of [
    'files/Upper',
    'files/-a',
    'files/a-',
    `files/${'a'.repeat(41)}`,
    'files/a/b',
    'corpora/a',
  ])
    await assert.rejects(startUpload(server, key, { file: { name } }), /400 .*CreateFileRequest\.file\.name/s)
  const bytes = Buffer.from('x')
  const { name } = await uploadFile(server, key, { bytes, file: { name: `files/${'a'.repeat(40)}` } })
  await assert.rejects(startUpload(server, key, { file: { name } }), /409 .*ALREADY_EXISTS/s)
  const theirs = await uploadFile(server, await server.keyFor('bob'), { bytes, file: { name } })
  assert.equal(theirs.name, name)
})

test('an unknown field of the metadata is refused by its name', async () => {
  await using store = await sqlite.open<StoreSchema>(migrations)
  await using server = await startModelServer({ store })
  const key = await server.keyFor('alice')
  await assert.rejects(
    startUpload(server, key, { file: { colour: 'red' } }),
    /Unknown name \\"colour\\" at 'file'/,
  )
})

test('the single quotes of the API’s own examples are understood', async () => {
  await using store = await sqlite.open<StoreSchema>(migrations)
  await using server = await startModelServer({ store })
  const key = await server.keyFor('alice')
  const response = await server.call(key, {
    method: 'POST',
    url: '/upload/v1beta/files',
    headers: startHeaders,
    payload: "{'file': {'display_name': 'TEXT'}}",
  })
  const url = String(response.headers['x-goog-upload-url']).slice(server.publicUrl.length)
  const last = await uploadStep(server, key, { url, command: 'finalize' })
  assert.equal(last.json().file.displayName, 'TEXT')
})
