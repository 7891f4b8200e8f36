import assert from 'node:assert/strict'
import { PassThrough } from 'node:stream'
import { test } from 'node:test'
import { askHidden } from './hidden-input.ts'

function terminal(): { input: PassThrough; output: PassThrough; shown: () => string } {
  const output = new PassThrough({ encoding: 'utf8' })
  return { input: new PassThrough(), output, shown: () => String(output.read()) }
}

test('what is typed is the answer, and none of it is shown', async () => {
  const { input, output, shown } = terminal()
  const answer = askHidden('Password: ', { input, output })
  input.write('battrey\u007f\u007f\u007fery\r')
  assert.equal(await answer, 'battery')
  assert.equal(shown(), 'Password: \n')
})

test('one question can follow another', async () => {
  const { input, output } = terminal()
  for (const word of ['one', 'two']) {
    const answer = askHidden('? ', { input, output })
    input.write(`${word}\r`)
    assert.equal(await answer, word)
  }
})

for (const [what, key] of [
  ['Ctrl-C', '\u0003'],
  ['Ctrl-D', '\u0004'],
] as const)
  test(`${what} is no answer`, async () => {
    const { input, output } = terminal()
    const answer = askHidden('Password: ', { input, output })
    input.write(key)
    await assert.rejects(answer, /stopped; nothing was changed/)
  })
