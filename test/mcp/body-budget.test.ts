import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createBodyBudget } from '../../src/http/body-budget.ts'
import { createLog } from '../../src/log/log.ts'
import { portOf, type RawConnection, rawConnection } from '../serving/raw-connection.ts'
import { serveTools } from './tool-server.ts'

async function begin(port: number, token: string, length: number | undefined): Promise<RawConnection> {
  const connection = await rawConnection(port)
  const size = length === undefined ? 'transfer-encoding: chunked' : `content-length: ${length}`
  connection.send(
    `POST /mcp HTTP/1.1\r\nhost: 127.0.0.1:8080\r\nauthorization: Bearer ${token}\r\ncontent-type: application/json\r\n${size}\r\n\r\n`,
  )
  return connection
}

test('messages that find no room are refused before they come, and all room is given back', async () => {
  const bodies = createBodyBudget({ bytes: 200_000, log: createLog({ level: 'silent' }) })
  const { server, post } = serveTools({ bodies })
  await server.listen({ port: 0, host: '127.0.0.1' })
  const port = portOf(server.server)
  const untilHeld = async (bytes: number): Promise<void> => {
    while (bodies.held() !== bytes) await new Promise(setImmediate)
  }
  const held = [await begin(port, 'ann', 90_000), await begin(port, 'bob', 90_000)]
  await untilHeld(180_000)
  const refused = [
    [await begin(port, 'ann', 20_000), /^HTTP\/1\.1 429 [\s\S]*retry-after: 1/],
    [await begin(port, 'eve', 30_000), /^HTTP\/1\.1 503 [\s\S]*retry-after: 1/],
  ] as const
  for (const [connection, answer] of refused) assert.match(await connection.until('jsonrpc'), answer)
  assert.equal((await post({ jsonrpc: '2.0', id: 1, method: 'ping' })).statusCode, 200)
  const chunked = await begin(port, 'eve', undefined)
  chunked.send(`4000\r\n${'x'.repeat(0x4000)}\r\n`)
  await untilHeld(180_000 + 0x4000)
  chunked.send(`4000\r\n${'x'.repeat(0x4000)}\r\n`)
  assert.match(await chunked.until('jsonrpc'), /^HTTP\/1\.1 503 /)
  for (const { socket } of [...held, chunked, ...refused.map(([connection]) => connection)]) socket.destroy()
  await untilHeld(0)
  await server.close()
})
