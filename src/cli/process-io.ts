import type { Io } from './io.ts'

export function processIo(): Io {
  // A reader that has seen enough, such as head, is no error.
  process.stdout.on('error', (error) => process.exit('code' in error && error.code === 'EPIPE' ? 0 : 1))
  const parent = process.ppid
  return {
    out: (text) => void process.stdout.write(text),
    err: (text) => void process.stderr.write(text),
    env: process.env,
    cwd: process.cwd(),
    hasColor: process.stdout.isTTY === true && !process.env.NO_COLOR,
    elapsed: () => performance.now(),
    onSignal: (signal, listener) => void process.on(signal, listener),
    onOrphaned: (listener) => {
      const watch = setInterval(() => {
        if (process.ppid === parent) return
        clearInterval(watch)
        listener()
      }, 500).unref()
    },
    onCrash: (listener) => {
      process.on('uncaughtException', listener)
      process.on('unhandledRejection', listener)
    },
    exit: (code) => process.exit(code),
  }
}
