import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { platform } from 'node:os'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { createWaitingEngine } from '../model-api/waiting-engine.ts'
import { startModelPlace } from './model-place.ts'

const place = await startModelPlace({ waiting: createWaitingEngine({ pieces: 2 }) })
after(() => place[Symbol.asyncDispose]())

test('on a real terminal Ctrl-C stops the answer, the chat goes on, and two more end it', async () => {
  await using terminal = openTerminal(['chat', '--model', 'waiting'])
  await terminal.sees('> ')
  terminal.types('go\r')
  await terminal.sees('aa')
  terminal.types('\u0003')
  await terminal.sees('Stopped.')
  await terminal.sees('> ')
  terminal.types('/help\r')
  await terminal.sees('/quit ends the chat')
  await terminal.sees('> ')
  terminal.types('\u0003')
  await terminal.sees('Ctrl-C once more')
  await terminal.sees('> ')
  terminal.types('\u0003')
  assert.equal(await terminal.code, 0)
})

/**
 * The real program on a terminal, which `script` makes. Without `exec` some shells (dash, where SHELL is not set) stay
 * in between, take the Ctrl-C as theirs too, and end with 130 whatever the program ended with.
 */
function openTerminal(args: readonly string[]) {
  const program = fileURLToPath(new URL('../../bin/postern.js', import.meta.url))
  const command = [process.execPath, program, ...args]
  const words =
    platform() === 'darwin'
      ? ['-q', '/dev/null', ...command]
      : ['-qefc', `exec ${quoted(command)}`, '/dev/null']
  const child = spawn('/usr/bin/script', words, {
    cwd: place.folder,
    env: { ...process.env, ...place.env, NODE_TEST_CONTEXT: undefined, NO_COLOR: '1', TERM: 'xterm' },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  let unseen = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    unseen += text
  })
  const closed = once(child, 'close')
  return {
    code: closed.then(() => child.exitCode),
    types: (text: string): void => void child.stdin.write(text),
    sees: async (text: string): Promise<void> => {
      while (!unseen.includes(text)) {
        await Promise.race([once(child.stdout, 'data'), closed])
        if (child.exitCode !== null || child.signalCode !== null)
          assert.fail(`ended before ${text}: ${unseen}`)
      }
      unseen = unseen.slice(unseen.indexOf(text) + text.length)
    },
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGKILL')
      await closed
    },
  }
}

function quoted(command: readonly string[]): string {
  return command.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(' ')
}
