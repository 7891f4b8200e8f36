import assert from 'node:assert/strict'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { startAnsweringServer } from '../client/answering-server.ts'
import { workplace } from './call-postern.ts'

const tool = { name: 'ech\u001b[2Jo', inputSchema: { type: 'object' } }

test('a server whose list of tools never ends is given up', async () => {
  await using place = await workplace()
  await using server = await startToolServer((count) => ({ tools: [tool], nextCursor: String(count) }))
  const { code, err } = await place.call(['tools', '--url', server.url], { env: tokensIn(place.folder) })
  assert.equal(code, 1)
  assert.match(err, /more than 1000 pages/)
})

test('a slow regular expression in the schema of a result is not run', async () => {
  await using place = await workplace()
  const outputSchema = { type: 'object', properties: { a: { type: 'string', pattern: '^(a+)+$' } } }
  const structuredContent = { a: `${'a'.repeat(40)}!` }
  await using server = await startToolServer(
    () => ({ tools: [{ name: 'slow', inputSchema: { type: 'object' }, outputSchema }] }),
    { content: [], structuredContent },
  )
  const { code, out } = await place.call(['call', 'slow', '--url', server.url], {
    env: tokensIn(place.folder),
  })
  assert.equal(code, 0)
  assert.deepEqual(JSON.parse(out), structuredContent)
})

test('the name of a tool does not reach a terminal as a command to it', async () => {
  await using place = await workplace()
  await using server = await startToolServer(() => ({ tools: [tool] }))
  const env = tokensIn(place.folder)
  const tools = await place.call(['tools', '--json', '--url', server.url], { env })
  assert.equal(JSON.parse(tools.out).tools[0].name, tool.name)
  const call = await place.call(['call', 'ech[2Jo', '--url', server.url], { env })
  assert.match(call.err, /did you mean ech\u{fffd}\[2Jo\?/u)
})

test('the name of a model does not reach a terminal as a command to it', async () => {
  await using place = await workplace()
  await using server = await startAnsweringServer(() => ({ models: [{ name: 'models/ti\u001b[2Jny' }] }))
  const { err } = await place.call(['chat', '--url', server.url], {
    env: { ...tokensIn(place.folder), GOOGLE_API_KEY: 'a-key-of-this-test' },
    openLines: () => ({
      isTyped: true,
      next: async () => ({ kind: 'end' }),
      interrupt: () => false,
      close: () => {},
    }),
  })
  assert.match(err, /^You talk with ti \[2Jny\./)
})

test('a new key is shown without commands to the terminal', async () => {
  await using place = await workplace()
  const time = '2026-11-15T00:00:00Z'
  const made = {
    id: 'i\u001b[2J',
    name: 'n',
    principal: 'p\u009b2J',
    hint: 'h',
    key: 'k\u001b[2J',
    state: 'active',
  }
  const limits = { scopes: null, models: null, addresses: null, expires_at: null }
  const times = {
    created_at: time,
    updated_at: time,
    revoked_at: null,
    last_used_at: null,
    replaced_by: null,
  }
  await using server = await startAnsweringServer(() => ({ ...made, ...limits, ...times }))
  const { code, out } = await place.call(['keys', 'create', '--name', 'n', '--url', server.url], {
    env: tokensIn(place.folder),
    screen: () => ({ columns: 80, rows: 20 }),
  })
  assert.equal(code, 0)
  assert.doesNotMatch(out.replaceAll('\n', ''), /\p{Cc}/u)
})

test('a login does not wait for the end of a stream that the server opens', async () => {
  await using place = await workplace()
  await using server = await startAnsweringServer(({ url }, response) => {
    const isStream = url === '/list'
    response.writeHead(isStream ? 200 : 404, { 'content-type': 'text/event-stream' })
    if (isStream) response.flushHeaders()
    else response.end()
  })
  const { err } = await place.call(['login', server.url], { env: tokensIn(place.folder) })
  assert.match(err, /does not say where to sign in/)
})

function tokensIn(folder: string): Readonly<Record<string, string>> {
  return { POSTERN_TOKEN_FILE: `${folder}/tokens.json` }
}

type Page = (count: number) => object

/** A tool server of an earlier revision that lets everybody in. */
function startToolServer(page: Page, answer?: object): ReturnType<typeof startAnsweringServer> {
  let count = 0
  const reply = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { id, method } = request.method === 'POST' ? JSON.parse(await text(request)) : {}
    if (method === 'tools/list') count += 1
    const results = new Map<unknown, object>([
      [
        'initialize',
        {
          protocolVersion: '2025-06-18',
          capabilities: { tools: {} },
          serverInfo: { name: 'hostile', version: '1' },
        },
      ],
      ['tools/list', page(count)],
      ...(answer === undefined ? [] : [['tools/call', answer] as const]),
    ])
    const result = results.get(method)
    if (id === undefined) response.writeHead(request.method === 'POST' ? 202 : 405).end()
    else
      response.setHeader('content-type', 'application/json').end(
        JSON.stringify({
          jsonrpc: '2.0',
          id,
          ...(result === undefined ? { error: { code: -32602, message: 'no' } } : { result }),
        }),
      )
  }
  return startAnsweringServer((request, response) => void reply(request, response))
}
