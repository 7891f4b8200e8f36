import assert from 'node:assert/strict'
import { addAbortListener, once } from 'node:events'
import { createServer } from 'node:http'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { guardedController } from './guarded-signal.ts'

test('listeners that throw or reject are told of, and the others hear the signal all the same', async () => {
  const faults: unknown[] = []
  const { signal, abort } = bound((error) => faults.push(error))
  let heard = 0
  signal.addEventListener('abort', () => {
    throw new Error('thrown')
  })
  const rejects = (): unknown => Promise.reject(new Error('rejected'))
  signal.addEventListener('abort', rejects)
  signal.addEventListener('abort', {
    handleEvent: () => {
      throw new Error('of an object')
    },
  })
  signal.onabort = () => {
    throw new Error('of a property')
  }
  signal.addEventListener('abort', () => {
    heard += 1
  })
  abort()
  await Promise.resolve()
  assert.equal(heard, 1)
  assert.deepEqual(faults.map(String).toSorted(), [
    'Error: of a property',
    'Error: of an object',
    'Error: rejected',
    'Error: thrown',
  ])
})

test('a listener that was taken off hears nothing, and one that was added twice hears once', () => {
  const { signal, abort } = bound(noFault)
  let [heard, gone] = [0, 0]
  const listener = (): void => {
    heard += 1
  }
  const leaving = (): void => {
    gone += 1
  }
  signal.addEventListener('abort', listener)
  signal.addEventListener('abort', listener)
  signal.addEventListener('abort', leaving)
  signal.removeEventListener('abort', leaving)
  abort()
  assert.deepEqual([heard, gone], [1, 0])
})

test('the signal works with what Node offers for signals', async () => {
  const { signal, abort } = bound(noFault)
  let added = false
  addAbortListener(signal, () => {
    added = true
  })
  const waiting = delay(60_000, undefined, { signal })
  const both = AbortSignal.any([signal])
  const told = once(both, 'abort')
  abort()
  await assert.rejects(waiting, { name: 'AbortError' })
  await told
  assert.deepEqual([signal.aborted, both.aborted, added], [true, true, true])
})

test('every fetch that has the signal ends with it, and the server sees them end', async (t) => {
  const arrived = Promise.withResolvers<void>()
  const ended = Promise.withResolvers<void>()
  const under = { way: 0 }
  const server = createServer((_, reply) => {
    under.way += 1
    if (under.way === 2) arrived.resolve()
    reply.once('close', () => {
      under.way -= 1
      if (under.way === 0) ended.resolve()
    })
  })
  t.after(() => server.close())
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const address = server.address()
  const { signal, abort } = bound(noFault)
  const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/`
  const waiting = [fetch(url, { signal }), fetch(url, { signal })]
  await arrived.promise
  abort()
  for (const one of waiting) await assert.rejects(one, { name: 'AbortError' })
  await ended.promise
})

function noFault(error: unknown): void {
  assert.fail(String(error))
}

function bound(onFault: (error: unknown) => void): {
  readonly signal: AbortSignal
  readonly abort: () => void
} {
  const controller = guardedController(onFault)
  return { signal: controller.signal, abort: () => controller.abort() }
}
