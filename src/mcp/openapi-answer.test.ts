import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readAnswer } from './openapi-answer.ts'
import type { ToolResult } from './tool.ts'

function read(contentType: string, bytes: Uint8Array): Promise<ToolResult> {
  return readAnswer({ status: 200, contentType, body: chunks(bytes) }, 1000)
}

async function* chunks(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}

test('an integer that cannot be read exactly stays in the text alone', async () => {
  const json = '{"orders":[{"id":9007199254740993}]}'
  assert.deepEqual(await read('application/json', Buffer.from(json)), {
    content: [{ type: 'text', text: json }],
  })
  const { structuredContent } = await read('application/json', Buffer.from('{"id":9007199254740991}'))
  assert.deepEqual(structuredContent, { id: 9007199254740991 })
})

test('a text is read in its character set, and without a type where it is UTF-8', async () => {
  const texts = [
    await read('text/plain; charset=ISO-8859-1', Buffer.from('café', 'latin1')),
    await read('text/plain; charset="unheard-of"', Buffer.from('café')),
    await read('', Buffer.from('café')),
    await read('', Buffer.from([0xff, 0xfe, 0x00])),
  ]
  assert.deepEqual(
    texts.map(({ content }) => content),
    ['café', 'café', 'café', 'done (200); 3 bytes of no type'].map((text) => [{ type: 'text', text }]),
  )
})
