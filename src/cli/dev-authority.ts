import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { devConfigFile } from './dev-files.ts'
import type { Io } from './io.ts'

/** The authority in a process of its own. */
export interface AuthorityProcess {
  /** True once it listens, false if it ended before. */
  readonly isReady: Promise<boolean>
  /** What it said on standard error, the reason if it did not start. */
  readonly complaint: () => string
  /** Resolves if it ends without having been asked to. */
  readonly died: Promise<void>
  readonly stop: () => Promise<void>
}

export function spawnAuthority(
  io: Io,
  options: { readonly demoPassword: string; readonly isVerbose: boolean },
): AuthorityProcess {
  const child = spawn(process.execPath, [program, 'authority', '--config', devConfigFile], {
    cwd: io.cwd,
    env: {
      ...io.env,
      POSTERN_DEMO_USER: `demo:${options.demoPassword}`,
      POSTERN_LOG_LEVEL: options.isVerbose ? 'debug' : 'info',
    },
    // The channel tells it when this process is gone, however it ended.
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  const { promise: died, resolve: die } = Promise.withResolvers<void>()
  const complaint: string[] = []
  let isStopping = false
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()))
  child.stderr?.setEncoding('utf8').on('data', (text: string) => complaint.push(text))
  const isReady = Promise.race([readyLine(child, io, options.isVerbose), ended.then(() => false)])
  void ended.then(() => (isStopping ? undefined : die()))
  return {
    isReady,
    complaint: () =>
      complaint
        .join('')
        .trim()
        .replace(/^postern: /, ''),
    died,
    stop: async () => {
      isStopping = true
      child.kill('SIGTERM')
      await ended
    },
  }
}

/** The same two steps up from the source and from the build. */
const program = fileURLToPath(new URL('../../bin/postern.js', import.meta.url))

/** Passes on what the user should see, and notices the line "ready". */
function readyLine({ stdout }: ChildProcess, io: Io, isVerbose: boolean): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>()
  if (stdout === null) return promise
  createInterface({ input: stdout }).on('line', (line) => {
    const { level, msg } = readLine(line)
    if (msg === 'ready') resolve(true)
    if (isVerbose || !quietLevels.includes(String(level))) io.out(`${line}\n`)
  })
  return promise
}

const quietLevels: readonly string[] = ['trace', 'debug', 'info']

function readLine(line: string): { readonly level?: unknown; readonly msg?: unknown } {
  try {
    return Object(JSON.parse(line))
  } catch {
    return {}
  }
}
