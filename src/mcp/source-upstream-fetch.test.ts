import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import { after, before, test } from 'node:test'
import { Agent } from 'undici'
import { Failure } from '../failure/failure.ts'
import { type UpstreamFetch, upstreamFetch } from './source-upstream-fetch.ts'

const agent = new Agent()
let answer: (reply: ServerResponse) => void = (reply) => void reply.end()
let seen: IncomingHttpHeaders = {}
const server = createServer((request, reply) => {
  seen = request.headers
  answer(reply)
})
let url: URL
let fetch: UpstreamFetch

before(async () => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  url = new URL(`http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/mcp`)
  fetch = upstreamFetch({ url, headers: { authorization: 'Bearer own' }, agent, limitBytes: 10 })
})
after(async () => {
  await agent.destroy()
  server.close()
})

function respond(type: string, ...chunks: readonly string[]): void {
  answer = (reply) => {
    reply.writeHead(200, { 'content-type': type })
    for (const chunk of chunks) reply.write(chunk)
    reply.end()
  }
}

test('the credential of the source replaces any other', async () => {
  respond('text/plain', 'ok')
  const { status } = await fetch(url, { headers: { Authorization: 'Bearer of a caller', 'x-other': '1' } })
  assert.equal(status, 200)
  assert.equal(seen.authorization, 'Bearer own')
  assert.equal(seen['x-other'], '1')
})

for (const path of ['/other', '/mcp?a=1', '/mcp/', '//evil.example/mcp']) {
  test(`no other address is called: ${path}`, async () => {
    await assert.rejects(fetch(new URL(path, url)), Failure)
  })
}

test('a redirect is refused', async () => {
  answer = (reply) => void reply.writeHead(308, { location: '/mcp' }).end()
  await assert.rejects(fetch(url), /redirect/)
})

test('a body is cut off at the limit', async () => {
  respond('application/json', '1234567890')
  assert.equal(await (await fetch(url)).text(), '1234567890')
  respond('application/json', '12345678901')
  const tooLong = await fetch(url)
  await assert.rejects(tooLong.text(), Failure)
})

test('of a stream each event is bounded, and the stream is not', async () => {
  const event = 'data: 12\n\n'
  respond('text/event-stream', event.repeat(50), 'data: 1\r\n\r\n', event)
  assert.equal((await (await fetch(url)).text()).length, event.length * 51 + 11)
  respond('text/event-stream', event, 'data: ', '12345\n', '\n')
  const tooLong = await fetch(url)
  await assert.rejects(tooLong.text(), Failure)
})
