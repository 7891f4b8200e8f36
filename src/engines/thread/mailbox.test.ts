import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createMailbox } from './mailbox.ts'

test('items are read in order, those from before and those from later', async () => {
  const mailbox = createMailbox<number>()
  mailbox.put(1)
  const items = mailbox.items()
  assert.deepEqual(await items.next(), { done: false, value: 1 })
  const next = items.next()
  mailbox.put(2)
  assert.deepEqual(await next, { done: false, value: 2 })
  const last = items.next()
  mailbox.end()
  assert.equal((await last).done, true)
})

test('an error comes after what was put before it, and ends all', async () => {
  const mailbox = createMailbox<number>()
  mailbox.put(1)
  mailbox.end(new Error('gone'))
  mailbox.put(2)
  mailbox.end()
  const items = mailbox.items()
  assert.equal((await items.next()).value, 1)
  await assert.rejects(items.next(), /gone/)
})
