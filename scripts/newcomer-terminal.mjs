/** A terminal with two panes, in which somebody types: tmux on a socket of its own. */
import { execFile, execFileSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { promisify } from 'node:util'

const run = promisify(execFile)
const columns = 160
const rows = 100

/** Installs tmux where that is possible and needed. */
export function provideTmux() {
  const isThere = () => {
    try {
      return execFileSync('tmux', ['-V']).length > 0
    } catch {
      return false
    }
  }
  if (isThere()) return
  if (process.getuid?.() === 0 && existsSync('/usr/bin/apt-get')) {
    console.log('newcomer: installing tmux with apt-get …')
    const apt = (...words) => execFileSync('/usr/bin/apt-get', words, { stdio: 'ignore' })
    apt('update')
    apt('install', '-y', '--no-install-recommends', 'tmux')
  }
  if (!isThere()) throw new Error('tmux is missing: install it, and run this again')
}

/** Two panes in `cwd`; `folder` is for what the terminal itself needs. */
export async function openTerminal({ folder, cwd, env }) {
  const socket = `postern-newcomer-${process.pid}`
  const settings = join(folder, 'tmux.conf')
  // The pane is as long as everything that is ever shown in it.
  writeFileSync(settings, 'set -g history-limit 100000\nset -g default-terminal "screen-256color"\n')
  const tmux = async (...words) => {
    const { stdout } = await run('tmux', ['-L', socket, '-f', settings, ...words], {
      env,
      maxBuffer: 2 ** 26,
    })
    return stdout
  }
  const place = ['-P', '-F', '#{pane_id}', '-c', cwd]
  const shell = (name) => `bash --noprofile --rcfile ${shellFile(folder, name)} -i`
  const size = ['-x', String(columns), '-y', String(rows)]
  const upper = (await tmux('new-session', '-d', ...size, ...place, shell('upper'))).trim()
  const lower = (await tmux('split-window', '-v', '-t', upper, ...place, shell('lower'))).trim()
  const pane = (name, id) =>
    createPane(tmux, id, { codes: join(folder, `${name}.codes`), raw: join(folder, `${name}.raw`) })
  return {
    upper: await pane('upper', upper),
    lower: await pane('lower', lower),
    close: () => tmux('kill-server').catch(() => ''),
  }
}

/** Each prompt notes how the command before it ended, where nobody sees it. */
function shellFile(folder, name) {
  const file = join(folder, `${name}.bashrc`)
  writeFileSync(join(folder, `${name}.codes`), '')
  writeFileSync(file, `PS1='$ '\nHISTFILE=\nPROMPT_COMMAND='echo $? >> ${join(folder, `${name}.codes`)}'\n`)
  return file
}

async function createPane(tmux, id, { codes, raw }) {
  writeFileSync(raw, '')
  await tmux('pipe-pane', '-t', id, `cat >> '${raw}'`)
  const ended = () => readFileSync(codes, 'utf8').split('\n').slice(0, -1)
  const capture = async () =>
    (await tmux('capture-pane', '-p', '-J', '-S', '-', '-t', id)).replaceAll(/ +$/gm, '').trimEnd()
  const isAtPrompt = async (count) => ended().length >= count && /(^|\n)\$$/.test(await capture())
  const type = async (line) => {
    await tmux('send-keys', '-t', id, '-l', '--', line)
    await tmux('send-keys', '-t', id, 'Enter')
  }
  await until(() => isAtPrompt(1), 10, 'the first prompt')
  return {
    capture,
    /** All that was ever sent to the terminal, also what was wiped away again. */
    sent: () => readFileSync(raw, 'utf8'),
    type,
    press: (key) => tmux('send-keys', '-t', id, key),
    /** Resolves when the words are shown below what is typed now. */
    shows: (words, seconds) => until(async () => words.test(await capture()), seconds, String(words)),
    /** Types a command, waits for the prompt after it, and says what was shown in between and the exit code. */
    command: async (line, seconds = 60) => {
      const [before, count] = [await capture(), ended().length]
      await type(line)
      await until(() => isAtPrompt(count + 1), seconds, `the prompt after: ${line}`)
      const shown = (await capture()).slice(before.length + 1 + line.length, -1).trim()
      return { shown, code: Number(ended().at(-1)) }
    },
    /** The exit code of what was typed last, when it has ended. */
    end: async (count, seconds = 60) => {
      await until(() => isAtPrompt(count), seconds, 'the prompt')
      return Number(ended().at(-1))
    },
    prompts: () => ended().length,
  }
}

async function until(isSo, seconds, what) {
  const end = Date.now() + seconds * 1000
  while (!(await isSo())) {
    if (Date.now() > end) throw new Error(`waited ${seconds} s in vain for ${what}`)
    await setTimeout(50)
  }
}
