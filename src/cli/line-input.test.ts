import assert from 'node:assert/strict'
import { PassThrough, Readable } from 'node:stream'
import { test } from 'node:test'
import { type LineInput, lineInput, type Typed } from './line-input.ts'

function terminal(): { readonly keys: PassThrough; readonly lines: LineInput; readonly shown: () => string } {
  const [keys, output] = [new PassThrough(), new PassThrough({ encoding: 'utf8' })]
  let shown = ''
  output.on('data', (text: string) => {
    shown += text
  })
  return { keys, lines: lineInput({ input: keys, output, isTerminal: true }), shown: () => shown }
}

const line = (text: string): Typed => ({ kind: 'line', text })

test('several lines pasted at one prompt are lines one after another, and the rest can be finished', async () => {
  const { keys, lines } = terminal()
  const first = lines.next('> ')
  keys.write('one\rtwo\rthr')
  assert.deepEqual([await first, await lines.next('> ')], [line('one'), line('two')])
  const third = lines.next('> ')
  keys.write('ee\r')
  assert.deepEqual(await third, line('three'))
})

test('an earlier line comes back with the arrow key', async () => {
  const { keys, lines } = terminal()
  const first = lines.next('> ')
  keys.write('again\r')
  await first
  const second = lines.next('> ')
  keys.write('\u001b[A\r')
  assert.deepEqual(await second, line('again'))
})

test('Ctrl-C and Ctrl-D are told apart, and a prompt can follow', async () => {
  const { keys, lines, shown } = terminal()
  for (const [key, kind] of [
    ['\u0003', 'interrupt'],
    ['\u0004', 'end'],
  ] as const) {
    const next = lines.next('> ')
    keys.write(key)
    assert.deepEqual(await next, { kind })
  }
  assert.equal(shown().match(/> /g)?.length, 2)
})

test('a pipe gives its lines and its end, without a prompt, and a last line that does not end', async () => {
  const output = new PassThrough()
  const lines = lineInput({
    input: Readable.from([Buffer.from('one\r\ntw'), Buffer.from('o')]),
    output,
    isTerminal: false,
  })
  assert.deepEqual(
    [await lines.next('> '), await lines.next('> '), await lines.next('> ')],
    [line('one'), line('two'), { kind: 'end' }],
  )
  assert.equal(output.readableLength, 0)
})
