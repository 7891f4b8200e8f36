import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { test } from 'node:test'
import { freePort } from './free-port.ts'

test('a port in use is not free, and is again when it is given up', async () => {
  const port = await freePort('127.0.0.1', 0)
  assert.ok(port !== undefined && port > 0)
  const holder = createServer().listen(port, '127.0.0.1')
  await once(holder, 'listening')
  assert.equal(await freePort('127.0.0.1', port), undefined)
  holder.close()
  await once(holder, 'close')
  assert.equal(await freePort('127.0.0.1', port), port)
})
