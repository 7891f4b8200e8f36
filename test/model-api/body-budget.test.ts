import assert from 'node:assert/strict'
import { test } from 'node:test'
import { migrations } from '../../src/store/migrations.ts'
import type { Store, StoreSchema } from '../../src/store/store.ts'
import { portOf, type RawConnection, rawConnection } from '../serving/raw-connection.ts'
import { sqlite } from '../store/engines.ts'
import { type ModelServer, startModelServer } from './model-server.ts'

const mebibyte = 2 ** 20
const budget = 48 * mebibyte

function start(store: Store): Promise<ModelServer> {
  return startModelServer({ store, isListening: true, bodyBudgetBytes: budget })
}

interface Sent {
  readonly key: string
  readonly path?: string
  /** In mebibytes; in chunks without one. */
  readonly length?: number
  readonly type?: string
}

const generate = '/v1beta/models/words:generateContent'

async function begin({ server }: ModelServer, sent: Sent): Promise<RawConnection> {
  const { key, path = generate, length, type = 'application/json' } = sent
  const connection = await rawConnection(portOf(server.server))
  const size =
    length === undefined ? 'transfer-encoding: chunked' : `content-length: ${Math.round(length * mebibyte)}`
  connection.send(
    `POST ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\nx-goog-api-key: ${key}\r\ncontent-type: ${type}\r\n${size}\r\n\r\n`,
  )
  return connection
}

async function untilHeld({ bodies }: ModelServer, bytes: number): Promise<void> {
  while (bodies.held() !== bytes) await new Promise(setImmediate)
}

const chunk = `100000\r\n${'x'.repeat(mebibyte)}\r\n`

test('a body that finds no room is refused before it comes, and small ones still are served', async () => {
  await using store = await sqlite.open<StoreSchema>(migrations)
  await using models = await start(store)
  const [ann, bob, eve] = [await models.keyFor('ann'), await models.keyFor('bob'), await models.keyFor('eve')]
  const held = [await begin(models, { key: ann, length: 20 }), await begin(models, { key: bob, length: 20 })]
  await untilHeld(models, 40 * mebibyte)

  const refused = await begin(models, { key: eve, length: 9 })
  const answer = await refused.until('retryDelay')
  assert.match(answer, /^HTTP\/1\.1 503 /)
  assert.match(answer, /retry-after: 1\r\n/)
  assert.match(answer, /"status": "UNAVAILABLE"/)
  assert.match(answer, /there is no room for further bodies at the moment; try again/)
  assert.equal(models.decisions.at(-1)?.reason, 'bodies_full')
  const told = models.lines.map(({ msg }) => String(msg))
  assert.ok(
    told.some((line) => line.includes('50331648 bytes are held at most')),
    told.join(),
  )

  const whole = JSON.stringify({ contents: [{ parts: [{ text: 'hi' }] }] })
  const small = await models.call(eve, {
    method: 'POST',
    url: generate,
    headers: { 'content-type': 'application/json' },
    payload: whole,
  })
  assert.equal(small.statusCode, 200)
  for (const { socket } of [...held, refused]) socket.destroy()
  await untilHeld(models, 0)
})

test('one caller has at most half of the room', async () => {
  await using store = await sqlite.open<StoreSchema>(migrations)
  await using models = await start(store)
  const ann = await models.keyFor('ann')
  const first = await begin(models, { key: ann, length: 20 })
  await untilHeld(models, 20 * mebibyte)
  const second = await begin(models, { key: ann, length: 5 })
  const answer = await second.until('retryDelay')
  assert.match(answer, /^HTTP\/1\.1 429 /)
  assert.match(answer, /"status": "RESOURCE_EXHAUSTED"/)
  assert.match(answer, /may have at most 25165824 bytes together; wait for one of them to end/)
  const third = await begin(models, { key: ann, length: 4 })
  await untilHeld(models, 24 * mebibyte)
  for (const { socket } of [first, second, third]) socket.destroy()
  await untilHeld(models, 0)
})

test('a body in chunks takes room as it comes, and is cut where there is no more', async () => {
  await using store = await sqlite.open<StoreSchema>(migrations)
  await using models = await start(store)
  const [ann, bob] = [await models.keyFor('ann'), await models.keyFor('bob')]
  const first = await begin(models, { key: ann, length: 20 })
  await untilHeld(models, 20 * mebibyte)
  const [own, other] = [await begin(models, { key: ann }), await begin(models, { key: bob })]
  other.send(chunk)
  await untilHeld(models, 21 * mebibyte)
  for (let count = 0; count < 5; count += 1) own.send(chunk)
  const answer = await own.until('bytes together')
  assert.match(answer, /^HTTP\/1\.1 429 /)
  assert.match(answer, /connection: close\r/)
  await untilHeld(models, 21 * mebibyte)
  for (const { socket } of [first, other]) socket.destroy()
  await untilHeld(models, 0)
})

test('the room is given back however a request ends', async () => {
  await using store = await sqlite.open<StoreSchema>(migrations)
  await using models = await start(store)
  const key = await models.keyFor('ann')
  const long = JSON.stringify({ contents: [{ parts: [{ text: 'x'.repeat(mebibyte) }] }] })
  const length = long.length / mebibyte
  const ends: readonly (readonly [sent: Omit<Sent, 'key'>, body: string, status: number])[] = [
    [{ length }, long, 200],
    [{ length, path: generate.replace('words', 'other') }, long, 404],
    [{ length: 1 }, ' '.repeat(mebibyte), 400],
    [{ length: 1, type: 'text/plain' }, '', 400],
    [{ length: 30 }, '', 400],
    [{}, `${chunk}0\r\n\r\n`, 400],
    [{ length, path: '/v1beta/cachedContents' }, long, 400],
    [{ path: '/v1beta/files' }, `${chunk}0\r\n\r\n`, 400],
    [{ length: 3, path: '/upload/v1beta/files?uploadType=media' }, 'x'.repeat(3 * mebibyte), 200],
  ]
  for (const [sent, body, status] of ends) {
    const connection = await begin(models, { key, ...sent })
    connection.send(body)
    const answer = await connection.until('\r\n\r\n')
    assert.match(answer, new RegExp(`^HTTP/1\\.1 ${status} `), JSON.stringify(sent))
    await untilHeld(models, 0)
    connection.socket.destroy()
  }
})

test('of an upload no more is counted than is held of it, and of cached contents the whole', async () => {
  await using store = await sqlite.open<StoreSchema>(migrations)
  await using models = await start(store)
  const key = await models.keyFor('ann')
  const upload = await begin(models, { key, length: 100, path: '/upload/v1beta/files?uploadType=media' })
  await untilHeld(models, 2 * mebibyte)
  const kept = await begin(models, { key, length: 5, path: '/v1beta/cachedContents' })
  await untilHeld(models, 7 * mebibyte)
  for (const { socket } of [upload, kept]) socket.destroy()
  await untilHeld(models, 0)
})
