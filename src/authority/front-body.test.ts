import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, IncomingMessage, type ServerResponse } from 'node:http'
import { type AddressInfo, connect, Socket } from 'node:net'
import { after, test } from 'node:test'
import { countByteWork } from '../../test/serving/byte-work.ts'
import { createBodyReader } from './front-body.ts'

const read = createBodyReader(100)
const releases: (() => void)[] = []
const outcomes: string[] = []
const server = createServer((request, response) => {
  answer(request, response).catch((error: unknown) => server.emit('error', error))
}).listen(0, '127.0.0.1')
await once(server, 'listening')
after(() => server.close())

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const outcome = await read(request, 60).then(
    ({ bytes, release }) => {
      releases.push(release)
      return String(bytes)
    },
    (error: unknown) => String(Object(error).code),
  )
  outcomes.push(outcome)
  response.setHeader('connection', 'close')
  response.end()
  server.emit('read')
}

/** Says that a body of `length` follows and sends some of it. */
function begin(length: number, sent: string): Socket {
  const { port }: AddressInfo = Object(server.address())
  const socket = connect(port, '127.0.0.1').on('error', () => {})
  socket.write(`POST / HTTP/1.1\r\nHost: a\r\nContent-Length: ${length}\r\n\r\n${sent}`)
  return socket
}

/** What became of the next request that is read or refused. */
async function outcomeOf(...asked: Parameters<typeof begin>): Promise<string | undefined> {
  const done = once(server, 'read')
  begin(...asked)
  await done
  return outcomes.pop()
}

test('a body comes back whole, however small its pieces were', async () => {
  const done = once(server, 'read')
  const socket = begin(26, 'a')
  for (const letter of 'bcdefghijklmnopqrstuvwxyz') {
    await new Promise((resolve) => setImmediate(resolve))
    socket.write(letter)
  }
  await done
  assert.equal(outcomes.pop(), 'abcdefghijklmnopqrstuvwxyz')
  releases.pop()?.()
})

/** Gives its body byte by byte. */
class SlowMessage extends IncomingMessage {
  readonly #length: number

  constructor(length: number) {
    super(new Socket())
    this.headers = { 'transfer-encoding': 'chunked' }
    this.#length = length
  }

  override async *iterator(): AsyncGenerator<Buffer> {
    for (let count = 0; count < this.#length; count += 1) yield oneByte
  }
}

const oneByte = Buffer.from('x')

test('a body of single bytes is copied a few times, not once for each of them', async (t) => {
  const work = countByteWork(t)
  const { bytes, release } = await createBodyReader(2 ** 20)(new SlowMessage(4000), 2 ** 20)
  assert.equal(String(bytes), 'x'.repeat(4000))
  assert.ok(work().made < 4 * 4000, `${work().made} bytes were made`)
  release()
})

test('bodies count together until they are answered, and what was refused does not', async () => {
  const large = 'a'.repeat(60)
  assert.equal(await outcomeOf(60, large), large)
  assert.equal(await outcomeOf(60, large), 'unavailable')
  assert.equal(await outcomeOf(40, 'b'.repeat(40)), 'b'.repeat(40))
  for (const release of releases.splice(0)) release()
  assert.equal(await outcomeOf(60, large), large)
  assert.equal(await outcomeOf(61, `${large}a`), 'too-large')
  releases.pop()?.()
})

test('who hangs up in the middle gives back what was read', async () => {
  const begun = once(server, 'request')
  const socket = begin(60, 'a'.repeat(59))
  await begun
  const gone = once(server, 'read')
  socket.destroy()
  await gone
  assert.equal(outcomes.pop(), 'ECONNRESET')
  const both = [await outcomeOf(60, 'a'.repeat(60)), await outcomeOf(40, 'b'.repeat(40))]
  assert.deepEqual(both, ['a'.repeat(60), 'b'.repeat(40)])
  for (const release of releases.splice(0)) release()
})
