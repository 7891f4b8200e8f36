import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createDeadlines } from './deadlines.ts'

test('what is due expires once, what was removed or is not due does not', async () => {
  let time = 0
  const expired: string[] = []
  const deadlines = createDeadlines(() => time, 1)
  const due = Promise.withResolvers<void>()
  const expire = (name: string) => () => {
    expired.push(name)
    if (name === 'last') due.resolve()
  }
  const removed = { at: 5, expire: expire('removed') }
  deadlines.add({ at: 5, expire: expire('first') })
  deadlines.add(removed)
  deadlines.add({ at: 1_000_000, expire: expire('later') })
  deadlines.add({ at: 6, expire: expire('last') })
  deadlines.remove(removed)
  time = 10
  await due.promise
  assert.deepEqual(expired, ['first', 'last'])
})
