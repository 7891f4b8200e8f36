import type { Log } from '../log/log.ts'

/** A library of the authority speaks to the console; what this program says are JSON lines, so it goes to the log. */
export function logConsole(log: Log): void {
  const tell =
    (level: 'info' | 'warn') =>
    (text: unknown): void => {
      const words = String(text)
      log[ofNoInterest.test(words) ? 'debug' : level](words)
    }
  Object.assign(console, { info: tell('info'), warn: tell('warn') })
}

/** It knows releases of Node by their code names only, and ours has none before it becomes LTS. */
const ofNoInterest = /Unsupported runtime/
