import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { after, test } from 'node:test'
import { createClientDocuments } from './client-documents.ts'

const server = createServer((request, response) => {
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
  const documents = createClientDocuments({ allowPrivate: true, timeoutMs: 100 })
  await assert.rejects(documents.fetch(`${origin}/slow`), { name: 'TimeoutError' })
  await documents.close()
})

test('a document is read where private addresses are allowed, and only there', async () => {
  const open = createClientDocuments({ allowPrivate: true })
  assert.deepEqual(await (await open.fetch(`${origin}/`)).json(), {})
  await open.close()
  const careful = createClientDocuments({ allowPrivate: false })
  await assert.rejects(careful.fetch(`${origin}/`), { code: 'forbidden' })
  await careful.close()
})
