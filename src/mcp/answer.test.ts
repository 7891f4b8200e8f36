import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Type } from 'typebox'
import { modern } from '../../test/mcp/messages.ts'
import { serveTools } from '../../test/mcp/tool-server.ts'
import { defineTool } from './define-tool.ts'

test('a call that takes long becomes a stream before its answer, for a caller that reads streams', async () => {
  const gate = Promise.withResolvers<void>()
  const run = (): Promise<string> => gate.promise.then(() => 'done')
  const tool = defineTool({ name: 'long', description: '', scopes: [], input: Type.Object({}), run })
  const { server } = serveTools({ tools: [tool], silenceMs: 1 })
  const url = `${await server.listen({ port: 0, host: '127.0.0.1' })}/mcp`
  const call = (accept: string): Promise<Response> => {
    const { body, options } = modern('tools/call', { name: 'long' })
    const headers = {
      authorization: 'Bearer ann',
      'content-type': 'application/json',
      ...options.headers,
      accept,
    }
    return fetch(url, { method: 'POST', body: JSON.stringify(body), headers })
  }
  const pending = call('application/json')
  // The head of this one is here while both tools still run.
  const streamed = await call('application/json, text/event-stream')
  gate.resolve()
  assert.equal(streamed.headers.get('content-type'), 'text/event-stream')
  assert.match(
    await streamed.text(),
    /^event: message\ndata: \{"jsonrpc":"2.0","id":1,"result":.*"done".*\n\n$/,
  )
  const plain = await pending
  assert.equal(plain.headers.get('content-type'), 'application/json; charset=utf-8')
  assert.match(await plain.text(), /"done"/)
  await server.close()
})
