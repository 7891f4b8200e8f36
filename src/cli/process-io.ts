import { text } from 'node:stream/consumers'
import { askHidden } from './hidden-input.ts'
import { holdSignals } from './hold-signals.ts'
import type { Io } from './io.ts'
import { lineInput } from './line-input.ts'
import { openPage } from './open-page.ts'
import { readKey } from './read-key.ts'

export function processIo(): Io {
  process.stdout.on('error', (error) => {
    const code = 'code' in error ? String(error.code) : error.message
    // A reader that has seen enough, such as head, is no error.
    if (code === 'EPIPE') process.exit(0)
    process.stderr.write(`postern: standard output cannot be written (${code}): what was done stays done\n`)
    process.exit(1)
  })
  return {
    out: (words) => void process.stdout.write(words),
    err: (words) => void process.stderr.write(words),
    readInput: () => text(process.stdin),
    askHidden: hiddenQuestions(),
    openLines: () =>
      lineInput({ input: process.stdin, output: process.stderr, isTerminal: process.stdin.isTTY === true }),
    readKey: process.stdin.isTTY === true ? () => readKey(process.stdin) : undefined,
    openPage: (page) => openPage(page, { platform: process.platform, env: process.env }),
    screen: () => {
      const { isTTY, columns, rows } = process.stdout
      return isTTY === true ? { columns, rows } : undefined
    },
    isAttended: process.stderr.isTTY === true,
    env: process.env,
    cwd: process.cwd(),
    hasColor: process.stdout.isTTY === true && !process.env.NO_COLOR,
    elapsed: () => performance.now(),
    onSignal: (signal, listener) => void process.on(signal, listener),
    holdSignals,
    onOrphaned: watchParent(process.ppid),
    onCrash: (listener) => void process.on('uncaughtException', (error) => listener(error)),
    onRejection: (listener) => void process.on('unhandledRejection', (reason) => listener(reason)),
    exit: (code) => process.exit(code),
  }
}

/** Standard output may be a pipe while somebody sits at the terminal, so questions go to standard error. */
function hiddenQuestions(): Io['askHidden'] {
  if (process.stdin.isTTY !== true) return undefined
  return (question) => askHidden(question, { input: process.stdin, output: process.stderr })
}

/** A channel to the parent tells at once; without one the number of the parent changes. */
function watchParent(parent: number): Io['onOrphaned'] {
  return (listener) => {
    if (process.connected) {
      process.once('disconnect', listener)
      process.channel?.unref()
      return
    }
    const watch = setInterval(() => {
      if (process.ppid === parent) return
      clearInterval(watch)
      listener()
    }, 500).unref()
  }
}
