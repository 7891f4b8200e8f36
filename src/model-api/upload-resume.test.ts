import assert from 'node:assert/strict'
import { hash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { request } from 'node:http'
import { connect } from 'node:net'
import { test } from 'node:test'
import fc from 'fast-check'
import { type ModelServer, startModelServer } from '../../test/model-api/model-server.ts'
import {
  downloaded,
  startHeaders,
  startUpload,
  uploadFile,
  uploadStep,
} from '../../test/model-api/upload-calls.ts'
import { forEachEngine, openDatabase, sqlite } from '../../test/store/engines.ts'
import { migrations } from '../store/migrations.ts'
import type { StoreSchema } from '../store/store.ts'

forEachEngine((engine) => {
  test('however an upload is cut, and whoever goes on with it, the bytes are the same', async () => {
    await using database = await engine.create()
    await using one = await openDatabase<StoreSchema>(database.url, migrations)
    await using other = await openDatabase<StoreSchema>(database.url, migrations)
    await using first = await startModelServer({ store: one })
    await using second = await startModelServer({ store: other })
    const key = await first.keyFor('alice')
    const bytes = randomBytes(1_500_000)
    const cuts = fc.array(fc.nat(bytes.length), { maxLength: 4 })
    const property = fc.asyncProperty(cuts, fc.boolean(), fc.boolean(), async (places, knows, joined) => {
      const edges = [0, ...places.toSorted((left, right) => left - right), bytes.length]
      const url = await startUpload(first, key, knows ? { size: bytes.length } : {})
      for (const [index, from] of edges.slice(0, -1).entries()) {
        const server = index % 2 === 0 ? first : second
        const isLast = index === edges.length - 2
        const response = await uploadStep(server, key, {
          url,
          command: isLast && joined ? 'upload, finalize' : 'upload',
          offset: from,
          bytes: bytes.subarray(from, edges[index + 1]),
        })
        assert.equal(response.statusCode, 200, response.body)
      }
      const last = await uploadStep(second, key, { url, command: joined ? 'query' : 'finalize' })
      assert.equal(last.headers['x-goog-upload-status'], 'final')
      const { file } = last.json()
      assert.equal(Buffer.from(file.sha256Hash, 'base64').toString(), hash('sha256', bytes))
      assert.deepEqual(await downloaded(first, key, file.name), bytes)
    })
    await fc.assert(property, { numRuns: 8 })
  })

  test('uploads at the same time do not mix', async () => {
    await using store = await engine.open<StoreSchema>(migrations)
    await using server = await startModelServer({ store })
    const key = await server.keyFor('alice')
    const contents = Array.from({ length: 8 }, () => randomBytes(400_000))
    const files = await Promise.all(contents.map((bytes) => uploadFile(server, key, { bytes })))
    for (const [index, { name }] of files.entries())
      assert.deepEqual(await downloaded(server, key, name), contents[index])
  })

  test('what came before a connection broke is kept, and another instance goes on from there', async () => {
    await using database = await engine.create()
    await using one = await openDatabase<StoreSchema>(database.url, migrations)
    const bytes = randomBytes(2_500_000)
    let url = ''
    let key = ''
    let publicUrl = ''
    {
      await using server = await startModelServer({ store: one, isListening: true })
      key = await server.keyFor('alice')
      publicUrl = server.publicUrl
      const start = await fetch(`${server.publicUrl}/upload/v1beta/files`, {
        method: 'POST',
        headers: { ...startHeaders, 'x-goog-api-key': key },
      })
      url = new URL(String(start.headers.get('x-goog-upload-url'))).search
      await sendAndBreak(server, { url, key, bytes: bytes.subarray(0, 1_700_000) })
    }
    await using other = await openDatabase<StoreSchema>(database.url, migrations)
    await using next = await startModelServer({ store: other, publicUrl })
    const path = `/upload/v1beta/files${url}`
    const query = await uploadStep(next, key, { url: path, command: 'query' })
    assert.equal(query.headers['x-goog-upload-status'], 'active')
    const received = Number(query.headers['x-goog-upload-size-received'])
    assert.ok(received >= 1_048_576 && received <= 1_700_000, `${received} bytes were kept`)
    const rest = await uploadStep(next, key, {
      url: path,
      command: 'upload, finalize',
      offset: received,
      bytes: bytes.subarray(received),
    })
    assert.deepEqual(await downloaded(next, key, rest.json().file.name), bytes)
  })
})

interface Broken {
  readonly url: string
  readonly key: string
  readonly bytes: Uint8Array
}

/** Says more bytes are coming than come, and hangs up as soon as the server has told that it has stored some. */
async function sendAndBreak(server: ModelServer, { url, key, bytes }: Broken): Promise<void> {
  const { hostname, port } = new URL(server.publicUrl)
  const socket = connect(Number(port), hostname)
  const head = [
    `POST /upload/v1beta/files${url} HTTP/1.1`,
    `host: ${hostname}:${port}`,
    `x-goog-api-key: ${key}`,
    'x-goog-upload-command: upload',
    'x-goog-upload-offset: 0',
    'content-length: 2500000',
  ]
  socket.write(`${head.join('\r\n')}\r\n\r\n`)
  const before = server.decisions.length
  await new Promise<void>((resolve) => {
    socket.write(bytes, () => resolve())
  })
  const uploadId = new URLSearchParams(url).get('upload_id') ?? ''
  while (((await server.stored.files.findUpload(uploadId))?.size ?? 0) === 0)
    await new Promise((resolve) => setImmediate(resolve))
  socket.destroy()
  while (server.decisions.length === before) await new Promise((resolve) => setImmediate(resolve))
}

test('an upload that takes longer than a request may goes on while its bytes come', async () => {
  await using store = await sqlite.open<StoreSchema>(migrations)
  await using server = await startModelServer({ store, isListening: true })
  const key = await server.keyFor('alice')
  const url = await startUpload(server, key, { size: 2_000_000 })
  const arrived = once(server.server.server, 'request')
  const headers = { 'x-goog-upload-command': 'upload, finalize', 'x-goog-upload-offset': '0' }
  const sent = request(`${server.publicUrl}${url}`, { method: 'POST', headers })
  const answered = once(sent, 'response')
  sent.write(Buffer.alloc(1_200_000))
  const [{ socket }] = await arrived
  const { searchParams } = new URL(url, server.publicUrl)
  const size = async (): Promise<number> =>
    (await server.stored.files.findUpload(searchParams.get('upload_id') ?? ''))?.size ?? 0
  while ((await size()) === 0) await new Promise((resolve) => setImmediate(resolve))
  // What Node tells when the time of a request is over.
  const error = Object.assign(new Error('too late'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' })
  server.server.server.emit('clientError', error, socket)
  sent.end(Buffer.alloc(800_000))
  const [{ statusCode }] = await answered
  assert.equal(statusCode, 200)
})
