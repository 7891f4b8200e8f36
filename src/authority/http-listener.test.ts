import assert from 'node:assert/strict'
import { test } from 'node:test'
import { listen } from './http-listener.ts'

test('a stop waits for the answer that is in the making, and takes no new request', async () => {
  const { promise: asked, resolve: ask } = Promise.withResolvers<() => void>()
  const listener = await listen((_, response) => ask(() => response.end('done')), {
    host: '127.0.0.1',
    port: 0,
  })
  const answer = fetch(listener.url)
  const finish = await asked
  const stopped = listener.stop()
  await assert.rejects(fetch(listener.url))
  finish()
  assert.equal(await (await answer).text(), 'done')
  const answered = performance.now()
  await stopped
  assert.ok(performance.now() - answered < 8000, 'the connection of that answer was waited for')
})

test('an idle connection does not hold a stop up', async () => {
  const listener = await listen((_, response) => response.end('done'), { host: '127.0.0.1', port: 0 })
  await (await fetch(listener.url)).text()
  const begun = performance.now()
  await listener.stop()
  assert.ok(performance.now() - begun < 8000)
})

test('a port that is taken is a failure that names the setting', async () => {
  const first = await listen((_, response) => response.end(), { host: '127.0.0.1', port: 0 })
  const port = Number(new URL(first.url).port)
  await assert.rejects(
    listen((_, response) => response.end(), { host: '127.0.0.1', port }),
    { code: 'misconfigured', field: 'authority.port' },
  )
  await first.stop()
})
