import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Type } from 'typebox'
import { defineTool } from '../../src/mcp/define-tool.ts'
import { type HeldRecord, heldRecord } from '../serving/held-record.ts'
import { portOf, type RawConnection, rawConnection } from '../serving/raw-connection.ts'
import { modern, type Sent } from './messages.ts'
import { type ServedTools, serveTools } from './tool-server.ts'

const input = Type.Object({}, { additionalProperties: false })
const tools = [
  defineTool({ name: 'quick', description: '', scopes: [], input, run: () => 'done' }),
  defineTool({ name: 'slow', description: '', scopes: [], input, run: async () => 'done' }),
  defineTool({ name: 'secret', description: '', scopes: ['notes:read'], input, run: () => 'done' }),
  defineTool({
    name: 'steps',
    description: '',
    scopes: [],
    input,
    run: async (_input, { progress }) => {
      progress(1)
      return 'done'
    },
  }),
]

const streaming = { headers: { accept: 'text/event-stream' } }
const notification = { body: { jsonrpc: '2.0', method: 'notifications/cancelled' }, options: {} }

const rows: readonly (readonly [what: string, sent: Sent, answer: RegExp])[] = [
  ['the answer of a quick tool', modern('tools/call', { name: 'quick' }), /^HTTP\/1\.1 200 .*"done"/s],
  ['the answer of a slow tool', modern('tools/call', { name: 'slow' }), /^HTTP\/1\.1 200 .*"done"/s],
  ['a list', modern('tools/list'), /^HTTP\/1\.1 200 .*"quick"/s],
  ['a list as a stream', modern('tools/list', {}, streaming), /^HTTP\/1\.1 200 .*event: message/s],
  ['a notification', notification, /^HTTP\/1\.1 202 /],
  ['an error in a 200', modern('tools/call', { name: 'nothing' }), /^HTTP\/1\.1 200 .*-32602/s],
  ['a bad token', modern('tools/list', {}, { token: 'bad' }), /^HTTP\/1\.1 401 .*invalid_token/s],
  ['no token', modern('tools/list', {}, { token: null }), /^HTTP\/1\.1 401 /],
  ['a missing scope', modern('tools/call', { name: 'secret' }), /^HTTP\/1\.1 403 /],
]

interface Held extends AsyncDisposable {
  readonly record: HeldRecord
  readonly served: ServedTools
  readonly connection: RawConnection
  readonly received: () => string
}

/** The request as it is when its decision was told, and nothing was recorded yet. */
async function hold({ body, options: { token = 'ann', headers = {} } }: Sent): Promise<Held> {
  const record = heldRecord()
  const served = serveTools({ tools, recorded: record.recorded })
  await served.server.listen({ port: 0, host: '127.0.0.1' })
  const connection = await rawConnection(portOf(served.server.server))
  let received = ''
  connection.socket.on('data', (chunk) => {
    received += chunk
  })
  const text = JSON.stringify(body)
  const lines = Object.entries({
    host: 'localhost',
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'content-length': String(Buffer.byteLength(text)),
    connection: 'close',
    ...(token !== null && { authorization: `Bearer ${token}` }),
    ...headers,
  }).map(([name, value]) => `${name}: ${value}\r\n`)
  connection.send(`POST /mcp HTTP/1.1\r\n${lines.join('')}\r\n${text}`)
  await record.told
  await answerOnAnotherConnection(served)
  return {
    record,
    served,
    connection,
    received: () => received,
    [Symbol.asyncDispose]: async () => {
      connection.socket.destroy()
      await served.server.close()
    },
  }
}

/** What was written before it has arrived by then. */
async function answerOnAnotherConnection({ server }: ServedTools): Promise<void> {
  const other = await rawConnection(portOf(server.server))
  other.send('GET / HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n')
  assert.match(await other.closed(), /^HTTP\/1\.1 404 /)
}

for (const [what, sent, answer] of rows) {
  test(`${what}: no byte goes out before the decision is recorded`, async () => {
    await using held = await hold(sent)
    assert.equal(held.received(), '')
    held.record.keep()
    assert.match(await held.connection.closed(), answer)
    assert.equal(held.served.decisions.length, 1)
  })

  test(`${what}: without a record the caller gets 503 and is told to try again`, async () => {
    await using held = await hold(sent)
    held.record.break()
    const text = await held.connection.closed()
    assert.match(text, /^HTTP\/1\.1 503 /)
    assert.match(text, /\r\nretry-after: 1\r\n/i)
    const { error } = JSON.parse(text.slice(text.indexOf('\r\n\r\n')))
    assert.deepEqual([error.code, error.data.reason], [503, 'record_unavailable'])
    assert.doesNotMatch(text, /"done"|"quick"|www-authenticate/i)
    assert.equal(held.served.decisions.length, 1)
    const told = held.served.lines.filter(({ level }) => level === 'error').map(({ msg }) => msg)
    assert.deepEqual(told, ['a decision could not be recorded'])
  })
}

const steps = modern('tools/call', { name: 'steps', _meta: { progressToken: 1 } })

test('of a stream the last event is held back until the decision is recorded', async () => {
  await using held = await hold(steps)
  assert.match(await held.connection.until('notifications/progress'), /^HTTP\/1\.1 200 /)
  assert.doesNotMatch(held.received(), /"done"/)
  held.record.keep()
  assert.match(await held.connection.closed(), /"done".*\r\n0\r\n\r\n$/s)
})

test('a stream that cannot be recorded is cut before its end', async () => {
  await using held = await hold(steps)
  held.record.break()
  assert.doesNotMatch(await held.connection.closed(), /"done"|\r\n0\r\n\r\n$/)
})

test('a hook that throws is as good as no record', async () => {
  const { post, decisions } = serveTools({
    tools,
    recorded: () => {
      throw new Error('no disk')
    },
  })
  const { body, options } = modern('tools/call', { name: 'quick' })
  for (const token of ['ann', null]) {
    const response = await post(body, { ...options, token })
    assert.deepEqual([response.statusCode, response.json().error.data.reason], [503, 'record_unavailable'])
  }
  assert.deepEqual(
    decisions.map(({ status }) => status),
    [200, 401],
  )
})

test('who leaves while the record is awaited does no harm', async () => {
  await using held = await hold(modern('tools/call', { name: 'quick' }))
  held.connection.socket.destroy()
  await held.connection.closed()
  held.record.break()
  await answerOnAnotherConnection(held.served)
})
