import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import { HeldPieces } from '../../test/serving/held-pieces.ts'
import { plainServer } from '../../test/serving/plain-server.ts'

test('of a body in small pieces that a route has parsed the bytes are held, not the pieces', async () => {
  const { server } = plainServer({ bodyLimitBytes: 6000 })
  server.post<{ Body: string }>('/', { config: { access: { open: 'a test' } } }, ({ body }) => ({
    length: body.length,
  }))
  const held: number[] = []
  async function* body(): AsyncGenerator<Buffer> {
    const pieces = new HeldPieces()
    yield Buffer.from('"')
    for (let count = 0; count < 5000; count += 1) yield pieces.make()
    held.push(await pieces.count())
    yield Buffer.from('"')
  }
  const response = await server.inject({
    method: 'POST',
    url: '/',
    headers: { 'content-type': 'application/json', 'transfer-encoding': 'chunked' },
    payload: Readable.from(body()),
  })
  assert.deepEqual([response.statusCode, response.json()], [200, { length: 5000 }])
  assert.ok(Math.max(...held) < 100, `${held.join()} pieces are held`)
})
