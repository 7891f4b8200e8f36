import assert from 'node:assert/strict'
import { once } from 'node:events'
import { PassThrough, Readable } from 'node:stream'
import { after, test } from 'node:test'
import type { Io } from '../../src/cli/io.ts'
import { lineInput } from '../../src/cli/line-input.ts'
import { createWaitingEngine } from '../model-api/waiting-engine.ts'
import { startModelPlace } from './model-place.ts'

const waiting = createWaitingEngine({ pieces: 2 })
const place = await startModelPlace({ waiting })
after(() => place[Symbol.asyncDispose]())
const chat = ['chat', '--model', 'words']

test('each line of a pipe is a message, and the model knows what was said before', async () => {
  const { code, out, err } = await place.call(chat, piped('one\n\ntwo\n'))
  assert.deepEqual([code, out, err], [0, 'one\none one two\n', ''])
  assert.deepEqual(
    place.words.seen.at(-1)?.contents.map(({ role }) => role),
    ['user', 'model', 'user'],
  )
})

test('/clear forgets what was said, /quit ends, and another word says what there is', async () => {
  const { code, out, err } = await place.call(chat, piped('one\n/clear\ntwo\n/nothing\n/quit\nthree\n'))
  assert.deepEqual([code, out], [0, 'one\ntwo\n'])
  assert.match(err, /^All that was said is forgotten\.\nThere is no \/nothing\. \/clear forgets .*\n$/)
})

test('a script ends with the first error, and with its exit code', async () => {
  const { code, out, err } = await place.call(['chat', '--model', 'nope'], piped('one\ntwo\n'))
  assert.deepEqual([code, out], [1, ''])
  assert.equal(err.match(/answered 404/g)?.length, 1)
})

test('without --model it is the first model that answers', async () => {
  await using person = sitDown(['chat'])
  await person.sees('You talk with waiting.')
  person.types('/quit\r')
  assert.equal(await person.code, 0)
})

test('a person is prompted, reads an error, and goes on', async () => {
  await using person = sitDown([...chat, '--max-tokens', '2000000000'])
  await person.sees('> ')
  person.types('one\r')
  await person.sees('one\n')
  person.types('\u0004')
  assert.equal(await person.code, 0)
  await using other = sitDown(['chat', '--model', 'nope'])
  await other.sees('> ')
  other.types('one\r')
  await other.sees('answered 404')
  await other.sees('> ')
  other.types('/quit\r')
  assert.equal(await other.code, 0)
})

test('Ctrl-C stops the answer, not the chat, and what was heard of it is remembered; once more ends it', async () => {
  await using person = sitDown(['chat', '--model', 'waiting'])
  await person.sees('> ')
  person.types('go\r')
  await person.sees('aa')
  person.signal()
  await person.sees('Stopped.')
  await waiting.stopped
  await person.sees('> ')
  person.types('\u0003')
  assert.equal(await person.code, 0)
  assert.deepEqual(person.exits, [])
})

test('Ctrl-C at the prompt warns, twice in a row ends, and a line in between starts anew', async () => {
  await using person = sitDown(chat)
  await person.sees('> ')
  person.types('half a line\u0003')
  await person.sees('Ctrl-C once more')
  await person.sees('> ')
  person.types('one\r')
  await person.sees('one\n')
  await person.sees('> ')
  person.types('\u0003')
  await person.sees('Ctrl-C once more')
  await person.sees('> ')
  person.types('\u0003')
  assert.equal(await person.code, 0)
})

test('a Ctrl-C that comes to the prompt as a signal is the same as a typed one', async () => {
  await using person = sitDown(chat)
  await person.sees('> ')
  person.signal()
  await person.sees('Ctrl-C once more')
  await person.sees('> ')
  person.signal()
  assert.equal(await person.code, 0)
  assert.deepEqual(person.exits, [])
})

test('Ctrl-C with no answer to stop and nobody at a prompt ends the program', async () => {
  const exits: number[] = []
  let signal = (): void => {}
  const outcome = await place.call(chat, {
    ...piped('/help\n'),
    onSignal: (_signal, listener) => {
      signal = listener
    },
    exit: (code) => void exits.push(code),
  })
  assert.equal(outcome.code, 0)
  signal()
  assert.deepEqual(exits, [130])
})

function piped(text: string): Partial<Io> {
  const input = Readable.from([Buffer.from(text)])
  return { openLines: () => lineInput({ input, output: new PassThrough(), isTerminal: false }) }
}

/** Somebody at a terminal, of whose screen each part is seen once, in its order. */
function sitDown(args: readonly string[]) {
  const keys = new PassThrough()
  const screen = new PassThrough({ encoding: 'utf8' })
  const exits: number[] = []
  let unseen = ''
  let signal = (): void => {}
  screen.on('data', (text: string) => {
    unseen += text
  })
  const show = (text: string): void => void screen.write(text)
  const world: Partial<Io> = {
    openLines: () => lineInput({ input: keys, output: screen, isTerminal: true }),
    out: show,
    err: show,
    onSignal: (_signal, listener) => {
      signal = listener
    },
    exit: (code) => void exits.push(code),
  }
  const outcome = place.call(args, world)
  return {
    exits,
    code: outcome.then(({ code }) => code),
    types: (text: string): void => void keys.write(text),
    signal: (): void => signal(),
    sees: async (text: string): Promise<void> => {
      while (!unseen.includes(text)) await once(screen, 'data')
      unseen = unseen.slice(unseen.indexOf(text) + text.length)
    },
    [Symbol.asyncDispose]: async () => {
      keys.end()
      await outcome
    },
  }
}
