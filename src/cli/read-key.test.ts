import assert from 'node:assert/strict'
import { PassThrough } from 'node:stream'
import { test } from 'node:test'
import { type Keyboard, readKey } from './read-key.ts'

function keyboard(): { readonly input: Keyboard; readonly keys: PassThrough; readonly modes: boolean[] } {
  const keys = new PassThrough()
  const modes: boolean[] = []
  const input = Object.assign(keys, { setRawMode: (isRaw: boolean) => modes.push(isRaw) })
  return { input, keys, modes }
}

test('keys are read one after another, and between them the terminal is as it was', async () => {
  const { input, keys, modes } = keyboard()
  for (const key of [' ', 'a', '\u0003']) {
    const read = readKey(input)
    keys.write(key)
    assert.equal(await read, key)
  }
  assert.deepEqual(modes, [true, false, true, false, true, false])
  assert.equal(keys.isPaused(), true)
})

test('a terminal that ends is as good as Ctrl-D', async () => {
  const { input, keys } = keyboard()
  const read = readKey(input)
  keys.end()
  assert.equal(await read, '\u0004')
})
