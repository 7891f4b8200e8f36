import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createAcceptReader } from './accept.ts'

const rows: readonly (readonly [accept: string | undefined, json: boolean, stream: boolean])[] = [
  [undefined, true, false],
  ['*/*', true, false],
  ['application/json', true, false],
  ['application/json, text/event-stream', true, true],
  ['text/event-stream;q=0.9, application/*', true, true],
  ['Text/Event-Stream', false, true],
  ['application/json, text/event-stream;q=0', true, false],
]

for (const [accept, json, stream] of rows)
  test(`Accept: ${accept} takes ${json ? 'a body' : 'no body'} and ${stream ? 'a stream' : 'no stream'}`, () => {
    const read = createAcceptReader()
    assert.deepEqual(read(accept), { json, stream })
    assert.deepEqual(read(accept), { json, stream })
  })

test('what takes neither is refused, also the second time', () => {
  const read = createAcceptReader()
  for (const accept of ['text/html', 'text/html', 'application/json;q=0.0'])
    assert.throws(() => read(accept), { reason: 'not_acceptable' })
})
