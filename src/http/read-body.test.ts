import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, IncomingMessage, request } from 'node:http'
import { type AddressInfo, Socket } from 'node:net'
import { test } from 'node:test'
import { HeldPieces } from '../../test/serving/held-pieces.ts'
import { readBody, readBodyBytes } from './read-body.ts'

interface Sent {
  readonly chunks?: readonly (string | Buffer)[]
  readonly headers?: Record<string, string>
  /** Breaks the connection off after the chunks. */
  readonly isCut?: boolean
}

/** What the reader makes of a body, over a real connection. */
async function read({ chunks = [], headers = {}, isCut = false }: Sent): Promise<string> {
  const outcome = Promise.withResolvers<string>()
  const reached = Promise.withResolvers<void>()
  const server = createServer((incoming, response) => {
    reached.resolve()
    readBody(incoming, { limit: 10 }, (failure, text) => {
      outcome.resolve(failure === undefined ? text : failure.code)
      response.end()
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address: AddressInfo | string | null = server.address()
  const port = typeof address === 'object' ? address?.port : undefined
  const sent = request({ port, method: 'POST', headers: { 'content-type': 'application/json', ...headers } })
  sent.on('error', () => {})
  for (const chunk of chunks) {
    sent.write(chunk)
    await new Promise((resolve) => setImmediate(resolve))
  }
  if (isCut) {
    await reached.promise
    sent.destroy()
  } else sent.end()
  const answer = await outcome.promise
  sent.destroy()
  server.close()
  return answer
}

test('a body is the text of all its pieces, also when a character is cut in two', async () => {
  const euro = Buffer.from('"€"')
  assert.equal(await read({ chunks: ['{"a"', ':1}'] }), '{"a":1}')
  assert.equal(await read({ chunks: [euro.subarray(0, 2), euro.subarray(2)] }), '"€"')
})

test('of a body in small pieces the bytes are held, not the pieces', async () => {
  const incoming = new IncomingMessage(new Socket())
  incoming.headers = { 'content-type': 'application/json' }
  const read = Promise.withResolvers<Buffer>()
  readBodyBytes(incoming, { limit: 5000 }, (_failure, bytes) => read.resolve(bytes))
  const pieces = new HeldPieces()
  for (let count = 0; count < 5000; count += 1) incoming.push(pieces.make())
  const held = await pieces.count()
  assert.ok(held < 100, `${held} pieces are held`)
  incoming.push(null)
  assert.equal(String(await read.promise), 'x'.repeat(5000))
})

test('a body in one piece is not copied', async () => {
  const incoming = new IncomingMessage(new Socket())
  incoming.headers = { 'content-type': 'application/json' }
  const read = Promise.withResolvers<Buffer>()
  readBodyBytes(incoming, { limit: 10 }, (_failure, bytes) => read.resolve(bytes))
  const piece = Buffer.from('{}')
  incoming.push(piece)
  incoming.push(null)
  assert.equal(await read.promise, piece)
})

test('no body is an empty text', async () => {
  assert.equal(await read({}), '')
})

for (const type of ['application/json; charset=utf-8', 'Application/JSON', ' application/json'])
  test(`content-type "${type}" is JSON`, async () => {
    assert.equal(await read({ chunks: ['{}'], headers: { 'content-type': type } }), '{}')
  })

for (const type of ['text/plain', 'application/jsonp', 'text/plain; application/json', ''])
  test(`content-type "${type}" is not JSON`, async () => {
    assert.equal(await read({ chunks: ['{}'], headers: { 'content-type': type } }), 'unsupported-media')
  })

test('the limit counts what is announced, and what comes without being announced', async () => {
  assert.equal(await read({ chunks: ['0123456789'], headers: { 'content-length': '10' } }), '0123456789')
  assert.equal(await read({ chunks: ['0123456789X'], headers: { 'content-length': '11' } }), 'too-large')
  assert.equal(await read({ chunks: ['012345', '6789X', 'more'] }), 'too-large')
})

test('a body that breaks off is a failure of the caller', async () => {
  assert.equal(
    await read({ chunks: ['{'], headers: { 'content-length': '5' }, isCut: true }),
    'invalid-request',
  )
})

test('a caller that left before its body was asked for is a failure of the caller', async () => {
  const outcome = Promise.withResolvers<string | undefined>()
  const server = createServer((incoming) => {
    sent.destroy()
    incoming.once('close', () =>
      readBody(incoming, { limit: 10 }, (failure) => outcome.resolve(failure?.code)),
    )
    incoming.on('error', () => {})
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address: AddressInfo | string | null = server.address()
  const port = typeof address === 'object' ? address?.port : undefined
  const headers = { 'content-type': 'application/json', 'content-length': '5' }
  const sent = request({ port, method: 'POST', headers })
  sent.on('error', () => {})
  sent.write('{')
  assert.equal(await outcome.promise, 'invalid-request')
  server.close()
})
