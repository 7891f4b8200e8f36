import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { after, test } from 'node:test'
import { createClientDocuments } from './client-documents.ts'

let time = 0
const now = (): number => time
let status = 200
const server = createServer((request, response) => {
  if (request.url === '/down' && status !== 200) {
    response.writeHead(status).end()
    return
  }
  response.writeHead(200, { 'content-type': 'application/json' })
  if (request.url === '/slow') response.write('{')
  else response.end('{}')
})
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
const address = server.address()
const origin = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
after(() => {
  server.closeAllConnections()
  server.close()
})

test('a document that does not come in time is given up, also in the middle', async () => {
  const documents = createClientDocuments({ allowPrivate: true, now, timeoutMs: 100 })
  await assert.rejects(documents.fetch(`${origin}/slow`), ({ code, cause }) => {
    assert.deepEqual([code, cause.name], ['unavailable', 'TimeoutError'])
    return true
  })
  await documents.close()
})

test('a document is read where private addresses are allowed, and only there', async () => {
  const open = createClientDocuments({ allowPrivate: true, now })
  assert.deepEqual(await (await open.fetch(`${origin}/`)).json(), {})
  await open.close()
  const careful = createClientDocuments({ allowPrivate: false, now })
  await assert.rejects(careful.fetch(`${origin}/`), { code: 'forbidden' })
  await careful.close()
})

test('where the host is down its last good answer holds for a day, and not beyond what it takes back', async () => {
  const documents = createClientDocuments({ allowPrivate: true, now })
  const ask = async (): Promise<number> => (await documents.fetch(`${origin}/down`)).status
  const outage = { code: 'unavailable' }
  status = 503
  await assert.rejects(ask(), outage)
  status = 200
  assert.equal(await ask(), 200)
  for (const failing of [503, 500, 429]) {
    status = failing
    assert.equal(await ask(), 200)
  }
  time += 86_400 * 1_000_000 + 1
  await assert.rejects(ask(), outage)
  status = 200
  assert.equal(await ask(), 200)
  status = 404
  assert.equal(await ask(), 404)
  status = 503
  await assert.rejects(ask(), outage)
  await documents.close()
})
