import assert from 'node:assert/strict'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { startModelServer } from '../../test/model-api/model-server.ts'
import { downloaded } from '../../test/model-api/upload-calls.ts'
import { sqlite } from '../../test/store/engines.ts'
import { fileLimits } from '../store/files-limits.ts'
import { migrations } from '../store/migrations.ts'
import type { StoreSchema } from '../store/store.ts'

test('a raw upload is a file of the type it came with', async () => {
  await using store = await sqlite.open<StoreSchema>(migrations)
  await using server = await startModelServer({ store })
  const key = await server.keyFor('alice')
  const response = await server.call(key, {
    method: 'POST',
    url: '/upload/v1beta/files?uploadType=media',
    headers: { 'content-type': 'application/json' },
    payload: '{"not": "metadata"',
  })
  assert.equal(response.headers['x-goog-upload-status'], 'final')
  const { file } = response.json()
  assert.equal(file.mimeType, 'application/json')
  assert.equal((await downloaded(server, key, file.name)).toString(), '{"not": "metadata"')
})

test('a raw upload that fails leaves nothing behind', async () => {
  await using store = await sqlite.open<StoreSchema>(migrations)
  await using server = await startModelServer({
    store,
    isListening: true,
    fileLimits: { ...fileLimits, fileBytes: 2_000_000 },
  })
  const key = await server.keyFor('alice')
  const endless = new ReadableStream({ pull: (controller) => controller.enqueue(new Uint8Array(65_536)) })
  const failed = await fetch(`${server.publicUrl}/upload/v1beta/files?uploadType=media`, {
    method: 'POST',
    headers: { 'x-goog-api-key': key },
    body: endless,
    duplex: 'half',
  }).then(
    ({ status }) => status === 400,
    () => true,
  )
  assert.ok(failed)
  while (server.decisions.length === 0) await new Promise((resolve) => setImmediate(resolve))
  assert.equal(server.decisions[0]?.status, 400)
  assert.deepEqual(await store.db.selectFrom('files').select('id').execute(), [])
})

test('a multipart upload is taken apart wherever its bytes are cut', async () => {
  await using store = await sqlite.open<StoreSchema>(migrations)
  await using server = await startModelServer({ store, isListening: true })
  const key = await server.keyFor('alice')
  const bytes = Buffer.from('first\r\n--edg\r\n--edge is not a boundary here? it is\r\n--edg')
  const content = bytes.toString().replace('\r\n--edge ', '\r\n-edge ')
  const body = [
    '--edge\r\nContent-Type: application/json\r\n\r\n{"file": {"displayName": "two parts"}}',
    `\r\n--edge\r\nContent-Type: text/csv\r\n\r\n${content}\r\n--edge--\r\n`,
  ].join('')
  for (const size of [1, 7, body.length]) {
    const pieces = body.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? []
    const response = await fetch(`${server.publicUrl}/upload/v1beta/files?uploadType=multipart`, {
      method: 'POST',
      headers: { 'x-goog-api-key': key, 'content-type': 'multipart/related; boundary="edge"' },
      body: ReadableStream.from(pieces.map((piece) => Buffer.from(piece))),
      duplex: 'half',
    })
    assert.equal(response.status, 200)
    const answer: unknown = await response.json()
    const file: unknown = Reflect.get(Object(answer), 'file')
    assert.equal(Reflect.get(Object(file), 'displayName'), 'two parts')
    assert.equal(Reflect.get(Object(file), 'mimeType'), 'text/csv')
    const uri = String(Reflect.get(Object(file), 'downloadUri'))
    const download = await fetch(uri, { headers: { 'x-goog-api-key': key } })
    assert.equal(await text(download.body ?? ReadableStream.from([])), content)
  }
})

test('a multipart upload without its end is refused and leaves nothing behind', async () => {
  await using store = await sqlite.open<StoreSchema>(migrations)
  await using server = await startModelServer({ store })
  const response = await server.call(await server.keyFor('alice'), {
    method: 'POST',
    url: '/upload/v1beta/files?uploadType=multipart',
    headers: { 'content-type': 'multipart/related; boundary=edge' },
    payload: '--edge\r\n\r\n{}\r\n--edge\r\n\r\nnever ends',
  })
  assert.equal(response.statusCode, 400)
  assert.deepEqual(await store.db.selectFrom('files').select('id').execute(), [])
})
