import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startModelServer } from '../../test/model-api/model-server.ts'
import { uploadFile } from '../../test/model-api/upload-calls.ts'
import { createWordEngine } from '../../test/model-api/word-engine.ts'
import { sqlite } from '../../test/store/engines.ts'
import { migrations } from '../store/migrations.ts'
import type { StoreSchema } from '../store/store.ts'

const generate = { method: 'POST', url: '/v1beta/models/words:generateContent' } as const

test('text of a file reaches the engine as text, the rest as inline data, and the order stays', async () => {
  await using store = await sqlite.open<StoreSchema>(migrations)
  const engine = createWordEngine()
  await using server = await startModelServer({ store, engines: { words: engine } })
  const key = await server.keyFor('alice')
  const note = await uploadFile(server, key, { bytes: Buffer.from('once upon a tïme'), type: 'text/plain' })
  const image = await uploadFile(server, key, { bytes: Buffer.of(0, 255, 7), type: 'image/png' })
  const response = await server.call(key, {
    ...generate,
    payload: {
      systemInstruction: { parts: [{ file_data: { file_uri: note.uri } }] },
      contents: [
        { role: 'user', parts: [{ text: 'see' }, { fileData: { fileUri: note.uri } }] },
        {
          role: 'user',
          parts: [{ fileData: { fileUri: image.name, mimeType: 'image/webp' } }, { text: 'and?' }],
        },
        { role: 'user', parts: [{ fileData: { fileUri: 'https://elsewhere.example/a.png' } }] },
      ],
    },
  })
  assert.equal(response.statusCode, 200, response.body)
  assert.deepEqual(engine.seen.at(-1), {
    systemInstruction: { parts: [{ text: 'once upon a tïme' }] },
    contents: [
      { role: 'user', parts: [{ text: 'see' }, { text: 'once upon a tïme' }] },
      {
        role: 'user',
        parts: [{ inlineData: { mimeType: 'image/webp', data: 'AP8H' } }, { text: 'and?' }],
      },
      { role: 'user', parts: [{ fileData: { fileUri: 'https://elsewhere.example/a.png' } }] },
    ],
  })
})

test('a file of somebody else cannot be used', async () => {
  await using store = await sqlite.open<StoreSchema>(migrations)
  const engine = createWordEngine()
  await using server = await startModelServer({ store, engines: { words: engine } })
  const { uri } = await uploadFile(server, await server.keyFor('alice'), { bytes: Buffer.from('mine') })
  const response = await server.call(await server.keyFor('bob'), {
    ...generate,
    payload: { contents: [{ parts: [{ fileData: { fileUri: uri } }] }] },
  })
  assert.equal(response.statusCode, 403)
  assert.match(response.json().error.message, /^You do not have permission to access the File \w+ or it may/)
  assert.deepEqual(engine.seen, [])
})

test('files that are too large together are refused before they are read', async () => {
  await using store = await sqlite.open<StoreSchema>(migrations)
  await using server = await startModelServer({ store })
  const key = await server.keyFor('alice')
  const { uri } = await uploadFile(server, key, { bytes: Buffer.alloc(11 * 2 ** 20) })
  const part = { fileData: { fileUri: uri } }
  const response = await server.call(key, {
    ...generate,
    payload: { contents: [{ parts: [part] }, { parts: [part] }] },
  })
  assert.equal(response.statusCode, 400)
  assert.match(response.json().error.message, /at most 20971520 bytes together/)
})

test('the tokens of a file are counted', async () => {
  await using store = await sqlite.open<StoreSchema>(migrations)
  await using server = await startModelServer({ store })
  const key = await server.keyFor('alice')
  const { uri } = await uploadFile(server, key, { bytes: Buffer.from('one two three') })
  const response = await server.call(key, {
    method: 'POST',
    url: '/v1beta/models/words:countTokens',
    payload: { contents: [{ parts: [{ fileData: { fileUri: uri } }, { text: 'four' }] }] },
  })
  assert.deepEqual(response.json(), { totalTokens: 4 })
})
