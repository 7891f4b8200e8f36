import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'

export interface ProgramEnd {
  readonly code: number
  readonly out: string
  readonly err: string
}

/** Runs an installed program with this Node; one that does not end in time is killed and has the code -1. */
export function runProgram(
  program: { readonly of: string; readonly file: string },
  args: readonly string[],
  options: { readonly seconds: number; readonly env?: NodeJS.ProcessEnv },
): Promise<ProgramEnd> {
  const env = { ...process.env, NODE_TEST_CONTEXT: undefined, NO_COLOR: '1', ...options.env }
  const command = [programFile(program), ...args]
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      command,
      { env, timeout: options.seconds * 1000, killSignal: 'SIGKILL', maxBuffer: 2 ** 26 },
      (error, out, err) => {
        const code = error === null ? 0 : typeof error.code === 'number' ? error.code : -1
        resolve({ code, out, err })
      },
    )
  })
}

export function programFile({ of, file }: { readonly of: string; readonly file: string }): string {
  return fileURLToPath(new URL(`../../node_modules/${of}/${file}`, import.meta.url))
}
