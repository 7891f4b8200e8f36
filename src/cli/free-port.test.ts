import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { test } from 'node:test'
import { freePort } from './free-port.ts'

test('a free port can be listened on', async () => {
  const port = await freePort('127.0.0.1')
  const holder = createServer().listen(port, '127.0.0.1')
  await once(holder, 'listening')
  holder.close()
})

test('a host that is not this machine has no free port, and the message names it', async () => {
  await assert.rejects(freePort('192.0.2.1'), /no free port on the host 192\.0\.2\.1 \(EADDRNOTAVAIL\)/)
})
