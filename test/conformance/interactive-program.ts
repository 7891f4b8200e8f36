import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { hear } from './heard-text.ts'
import { type ProgramEnd, programFile } from './run-program.ts'

/** A program that asks while it runs. It does not outlive the block that holds it. */
export interface InteractiveProgram extends AsyncDisposable {
  /** Waits until standard error holds the words. */
  readonly asks: (words: string) => Promise<void>
  readonly answer: (line: string) => void
  /** A program that was killed, by us or because its time was over, has the code -1. */
  readonly ended: Promise<ProgramEnd>
}

export function startProgram(
  program: { readonly of: string; readonly file: string },
  args: readonly string[],
  options: { readonly seconds: number; readonly env: NodeJS.ProcessEnv },
): InteractiveProgram {
  const child = spawn(process.execPath, [programFile(program), ...args], {
    env: options.env,
    stdio: 'pipe',
    timeout: options.seconds * 1000,
    killSignal: 'SIGKILL',
  })
  const out = hear(child.stdout)
  const err = hear(child.stderr)
  // A program that has ended takes no more answers.
  child.stdin.on('error', () => undefined)
  const ended = once(child, 'close').then(() => ({
    code: child.exitCode ?? -1,
    out: out.all(),
    err: err.all(),
  }))
  return {
    asks: (words) => err.until(words),
    answer: (line) => child.stdin.write(`${line}\n`),
    ended,
    [Symbol.asyncDispose]: async () => {
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL')
      await ended
    },
  }
}
