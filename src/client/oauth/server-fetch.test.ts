import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startAnsweringServer } from '../../../test/client/answering-server.ts'
import { serverFetch } from './server-fetch.ts'

test('a status that HTTP does not know is a bad answer, and nothing worse', async () => {
  await using server = await startAnsweringServer((_request, response) => {
    response.writeHead(999).end('what?')
  })
  assert.equal((await serverFetch(fetch)(server.url)).status, 502)
})
