import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type ClientRequest, createServer, request } from 'node:http'
import { type TestContext, test } from 'node:test'
import { HeldPieces } from '../../test/serving/held-pieces.ts'
import { portOf } from '../../test/serving/raw-connection.ts'
import { sqlite } from '../../test/store/engines.ts'
import { microsecondClock } from '../store/clock.ts'
import { createFiles } from '../store/files.ts'
import { migrations } from '../store/migrations.ts'
import type { StoreSchema } from '../store/store.ts'
import { cutOff, readText, receive, steadyBodyOf } from './upload-body.ts'

const order = {
  owner: 'alice',
  id: 'a',
  displayName: '',
  mimeType: 'text/plain',
  size: undefined,
  credential: { kind: 'api-key', id: 'k' },
} as const

test('when a body breaks off, every byte that came is stored', async () => {
  await using store = await sqlite.open<StoreSchema>(migrations)
  const files = createFiles(store, microsecondClock())
  const { file, uploadId } = await files.start(order)
  async function* broken(): AsyncGenerator<Buffer> {
    yield Buffer.from('all of ')
    yield Buffer.from('this')
    throw cutOff()
  }
  await assert.rejects(receive(files, file, broken()), { reason: 'body_cut_off' })
  assert.equal((await files.findUpload(uploadId))?.size, 11)
})

test('a body is stored while it comes, and little of it is held', async () => {
  await using store = await sqlite.open<StoreSchema>(migrations)
  const files = createFiles(store, microsecondClock())
  const { file, uploadId } = await files.start(order)
  const piece = Buffer.alloc(65_536)
  let most = 0
  async function* long(): AsyncGenerator<Buffer> {
    for (let sent = 0; sent < 5 * 2 ** 20; sent += piece.length) {
      const stored = (await files.findUpload(uploadId))?.size ?? 0
      most = Math.max(most, sent - stored)
      yield piece
    }
  }
  assert.equal((await receive(files, file, long())).size, 5 * 2 ** 20)
  assert.ok(most <= 2 ** 20, `${most} bytes were held`)
})

/** Says how many pieces were held when the last one had been taken. */
async function* manyPieces(tell: (held: number) => void): AsyncGenerator<Buffer> {
  const pieces = new HeldPieces()
  for (let count = 0; count < 5000; count += 1) yield pieces.make()
  tell(await pieces.count())
}

test('of an upload in small pieces the bytes are held, not the pieces', async () => {
  await using store = await sqlite.open<StoreSchema>(migrations)
  const files = createFiles(store, microsecondClock())
  const { file } = await files.start(order)
  const held: number[] = []
  const body = manyPieces((count) => held.push(count))
  assert.equal((await receive(files, file, body)).size, 5000)
  assert.ok(Math.max(...held) < 100, `${held.join()} pieces are held`)
})

test('of metadata in small pieces the bytes are held, not the pieces', async () => {
  const held: number[] = []
  const text = await readText(
    manyPieces((count) => held.push(count)),
    5000,
  )
  assert.equal(text, 'x'.repeat(5000))
  assert.ok(Math.max(...held) < 100, `${held.join()} pieces are held`)
})

interface Sending {
  readonly sent: ClientRequest
  readonly body: AsyncIterable<Buffer>
}

/** A body that has begun to come through a real connection. */
async function beginBody(t: TestContext, patienceMs: number): Promise<Sending> {
  const server = createServer()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const sent = request({ port: portOf(server), host: '127.0.0.1', method: 'POST' })
  // The test ends in the middle of it.
  sent.on('error', () => undefined)
  t.after(() => {
    sent.destroy()
    server.close()
  })
  sent.write('x')
  const [incoming] = await once(server, 'request')
  return { sent, body: steadyBodyOf(incoming, patienceMs) }
}

async function lengthOf(body: AsyncIterable<Buffer>): Promise<number> {
  let length = 0
  for await (const piece of body) length += piece.length
  return length
}

test('a body that goes on is read to its end', async (t) => {
  const { sent, body } = await beginBody(t, 600_000)
  sent.end(Buffer.alloc(2 ** 20))
  assert.equal(await lengthOf(body), 2 ** 20 + 1)
})

test('a body that comes byte by byte is given up when its time is over', async (t) => {
  const { sent, body } = await beginBody(t, 50)
  const drip = setInterval(() => sent.write('x'), 5)
  t.after(() => clearInterval(drip))
  await assert.rejects(lengthOf(body), {
    reason: 'body_cut_off',
    message: 'the body came too slowly: each 262144 bytes of an upload have to come within 0.05 seconds',
  })
})

test('a body that breaks off is not waited for', async (t) => {
  const { sent, body } = await beginBody(t, 600_000)
  const length = lengthOf(body)
  sent.destroy()
  await assert.rejects(length, { reason: 'body_cut_off', message: 'the body ended too early' })
})
