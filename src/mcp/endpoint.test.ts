import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as delay, setImmediate as turn } from 'node:timers/promises'
import { Type } from 'typebox'
import { modern } from '../../test/mcp/messages.ts'
import { type ServedTools, serveTools } from '../../test/mcp/tool-server.ts'
import { open, plainServer } from '../../test/serving/plain-server.ts'
import { portOf, rawConnection } from '../../test/serving/raw-connection.ts'
import { openEventStream } from '../http/event-stream.ts'
import type { Answerer } from './answer.ts'
import { defineTool, type ToolDefinition } from './define-tool.ts'
import { createEndpoint } from './endpoint.ts'

const input = Type.Object({})

function served(run: ToolDefinition<typeof input, typeof input>['run']): ServedTools {
  return serveTools({ tools: [defineTool({ name: 'tool', description: '', scopes: [], input, run })] })
}

const call = modern('tools/call', { name: 'tool' })
const text = JSON.stringify(call.body)
const head = Object.entries({
  host: 'localhost',
  authorization: 'Bearer ann',
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
  'content-length': String(Buffer.byteLength(text)),
  ...call.options.headers,
})
  .map(([name, value]) => `${name}: ${value}\r\n`)
  .join('')

async function listening({ server }: Pick<ServedTools, 'server'>): Promise<number> {
  await server.listen({ port: 0, host: '127.0.0.1' })
  return portOf(server.server)
}

test('a caller that asks first is told to send its body once the gate has let it in', async () => {
  const tools = served(() => 'done')
  const connection = await rawConnection(await listening(tools))
  connection.send(`POST /mcp HTTP/1.1\r\n${head}Expect: 100-continue\r\n\r\n`)
  assert.match(await connection.until('\r\n\r\n'), /^HTTP\/1\.1 100 Continue\r\n\r\n/)
  connection.send(text)
  assert.match(await connection.until('"done"'), /HTTP\/1\.1 200 OK/)
  connection.socket.destroy()
  await tools.server.close()
})

test('a caller that asks first and may not come in is refused without its body', async () => {
  const tools = served(() => 'done')
  const connection = await rawConnection(await listening(tools))
  const stranger = head.replace('Bearer ann', 'Bearer bad')
  connection.send(`POST /mcp HTTP/1.1\r\n${stranger}Expect: 100-continue\r\n\r\n`)
  assert.match(await connection.until('}}'), /^HTTP\/1\.1 401 /)
  connection.socket.destroy()
  await tools.server.close()
})

const lateAnswers: readonly (readonly [when: string, answer: Answerer])[] = [
  [
    'at once',
    (...[, , { reply }]) => {
      openEventStream(reply)
      throw new Error('late')
    },
  ],
  [
    'later',
    async (...[, , { reply }]) => {
      openEventStream(reply)
      throw new Error('late')
    },
  ],
]

for (const [when, answer] of lateAnswers)
  test(`what fails ${when}, after a stream was opened, ends the stream and is logged`, async () => {
    const { server, lines } = plainServer()
    server.decorateRequest('exchange', null)
    const onRequest = createEndpoint({
      gate: { admit: () => undefined, confirm: async () => undefined },
      answer,
      bodyLimit: 1000,
    })
    server.post('/mcp', { ...open, onRequest }, () => '')
    const connection = await rawConnection(await listening({ server }))
    connection.send(`POST /mcp HTTP/1.1\r\n${head}\r\n${text}`)
    const received = await connection.closed()
    assert.equal(received.match(/HTTP\/1\.1/g)?.length, 1)
    assert.match(received, /text\/event-stream/)
    assert.ok(lines.some(({ msg, level }) => msg === 'answer broke off' && level === 'error'))
    await server.close()
  })

test('an answer that cannot be sent ends the connection, not the process', async () => {
  const { server, lines } = plainServer()
  server.decorateRequest('exchange', null)
  const answer: Answerer = async (...[, , { reply }]) => {
    reply.raw.writeHead(200)
    return '{}'
  }
  const onRequest = createEndpoint({
    gate: { admit: () => undefined, confirm: async () => undefined },
    answer,
    bodyLimit: 1000,
  })
  server.post('/mcp', { ...open, onRequest }, () => '')
  const connection = await rawConnection(await listening({ server }))
  connection.send(`POST /mcp HTTP/1.1\r\n${head}\r\n${text}`)
  await connection.closed()
  assert.ok(lines.some(({ msg }) => msg === 'answer broke off'))
  await server.close()
})

test('neither a hook nor a listener of a tool that throws takes the server down, when its caller hangs up', async () => {
  const started = Promise.withResolvers<void>()
  const stopped = Promise.withResolvers<void>()
  const tools = served(async (_input, { signal }) => {
    signal.addEventListener('abort', () => {
      stopped.resolve()
      throw new Error('a listener that throws')
    })
    started.resolve()
    await stopped.promise
    return 'too late'
  })
  tools.decisions.push = () => {
    throw new Error('a hook that throws')
  }
  const port = await listening(tools)
  const connection = await rawConnection(port)
  connection.send(`POST /mcp HTTP/1.1\r\n${head}\r\n${text}`)
  await started.promise
  connection.socket.destroy()
  await stopped.promise
  const { statusCode } = await tools.post({}, { token: null })
  assert.equal(statusCode, 503)
  const told = tools.lines.map(({ msg }) => msg)
  assert.ok(told.includes('a tool failed when it was told to stop'))
  assert.equal(told.filter((msg) => msg === 'a decision could not be recorded').length, 1)
  await tools.server.close()
})

test('a tool that stops because its caller hung up is not worth a warning', async () => {
  const started = Promise.withResolvers<void>()
  const tools = served(async (_input, { signal }) => {
    started.resolve()
    await delay(60_000, undefined, { signal })
    return 'never'
  })
  const connection = await rawConnection(await listening(tools))
  connection.send(`POST /mcp HTTP/1.1\r\n${head}\r\n${text}`)
  await started.promise
  connection.socket.destroy()
  while (tools.decisions.length === 0) await turn()
  const told = tools.lines.filter(({ msg }) => msg === 'a tool failed')
  assert.deepEqual(
    told.map(({ level }) => level),
    ['debug'],
  )
  await tools.server.close()
})

test('pages of an origin that is ours may ask and read, refusals included', async () => {
  const tools = served(() => 'done')
  const origin = 'http://127.0.0.1:8080'
  const preflight = await tools.server.inject({
    method: 'OPTIONS',
    url: '/mcp',
    headers: {
      origin,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'authorization,content-type,mcp-protocol-version,mcp-method,mcp-name',
    },
  })
  assert.equal(preflight.statusCode, 204)
  assert.equal(preflight.headers['access-control-allow-methods'], 'POST')
  assert.match(String(preflight.headers['access-control-allow-headers']), /mcp-name$/)
  for (const token of ['ann', null]) {
    const headers = { ...call.options.headers, origin }
    const answer = await tools.post(call.body, { token, headers })
    assert.equal(answer.headers['access-control-allow-origin'], origin)
    assert.match(String(answer.headers['access-control-expose-headers']), /www-authenticate/)
  }
})
