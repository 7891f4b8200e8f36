import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createRequestIds } from './request-id.ts'

const none = { headers: {} }

test('own ids are unique and sort in the order of the requests', () => {
  const ids = createRequestIds()
  const made = Array.from({ length: 50_000 }, () => ids(none))
  assert.equal(new Set(made).size, made.length)
  assert.deepEqual(made.toSorted(), made)
})

test('two processes started in the same millisecond make different ids', () => {
  assert.notEqual(createRequestIds(1_000)(none), createRequestIds(1_000)(none))
})

test('an id of the caller is kept when it is short and plain', () => {
  const ids = createRequestIds()
  for (const id of ['a', 'trace-1_2.3', 'x'.repeat(64)])
    assert.equal(ids({ headers: { 'x-request-id': id } }), id)
})

test('an id that could break a header, a log line or a page is replaced', () => {
  const ids = createRequestIds(0, Buffer.from('own'))
  for (const id of ['', 'x'.repeat(65), 'a b', 'a, b', '<b>', 'a\nb', 'ä', '../x'])
    assert.match(ids({ headers: { 'x-request-id': id } }), /^0-6f776e-/, JSON.stringify(id))
})
