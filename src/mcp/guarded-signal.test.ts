import assert from 'node:assert/strict'
import { addAbortListener, once } from 'node:events'
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
