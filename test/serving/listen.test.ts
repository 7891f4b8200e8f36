import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { test } from 'node:test'
import { Failure } from '../../src/failure/failure.ts'
import { listen } from '../../src/http/listen.ts'
import { plainServer } from './plain-server.ts'
import { portOf } from './raw-connection.ts'

test('listening answers with the URL and leaves it to the program to announce it', async () => {
  const { server, lines } = plainServer()
  const url = await listen(server, { host: 'localhost', port: 0 })
  assert.equal(url, `http://127.0.0.1:${portOf(server.server)}`)
  assert.deepEqual(lines, [])
  server.log.info('audible')
  assert.equal(lines.length, 1)
  await server.close()
})

async function refusal(host: string, port: number): Promise<string> {
  const { server } = plainServer()
  const error: unknown = await listen(server, { host, port }).catch((cause: unknown) => cause)
  assert.ok(error instanceof Failure && error.code === 'misconfigured')
  return error.message
}

test('a port in use, an address of another machine and a name without address are told apart', async () => {
  const holder = createServer().listen(0, '127.0.0.1')
  await once(holder, 'listening')
  try {
    assert.match(await refusal('127.0.0.1', portOf(holder)), /the port is in use/)
    assert.match(await refusal('192.0.2.1', 0), /this machine does not have the address/)
    assert.match(
      await refusal('2001:db8::1', 80),
      /\[2001:db8::1\]:80: this machine does not have the address/,
    )
    assert.match(await refusal('no-such-host.invalid', 0), /has no address/)
  } finally {
    holder.close()
  }
})
