import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import { test } from 'node:test'
import { inTime } from './in-time.ts'

test('an outcome that comes in time is handed on, good or bad', async () => {
  assert.equal(await inTime(Promise.resolve(5), 1000), 5)
  await assert.rejects(inTime(Promise.reject(new Error('bad')), 1000), /^Error: bad$/)
})

test('one that is late is rejected, and told once', async () => {
  let told = 0
  const never = new Promise<void>(() => undefined)
  await assert.rejects(
    inTime(never, 5, () => {
      told += 1
    }),
    /no reply within 5 ms/,
  )
  assert.equal(told, 1)
})

test('what arrived while the process was busy is not late', async (t) => {
  const server = createServer().listen(0, '127.0.0.1')
  t.after(() => server.close())
  await once(server, 'listening')
  const address = server.address()
  assert.ok(typeof address === 'object' && address !== null)
  const socket = connect(address.port, '127.0.0.1')
  const [[peer]] = await Promise.all([once(server, 'connection'), once(socket, 'connect')])
  const reply = inTime(once(socket, 'data'), 20)
  // From here on the answer is there; nothing reads it while this loop runs.
  peer.end('x')
  for (const end = performance.now() + 100; performance.now() < end; );
  assert.equal(String((await reply)[0]), 'x')
  socket.destroy()
})
