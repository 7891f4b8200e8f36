import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { watchOutput } from '../records/secret-search-notes.ts'
import { watchFolder } from '../records/secret-search-places.ts'

type Line = Readonly<Record<string, unknown>>

/** The real program in a process of its own. */
export interface Postern extends AsyncDisposable {
  readonly child: ChildProcess
  readonly out: () => string
  readonly err: () => string
  /** Waits until standard output holds the text. */
  readonly says: (text: string) => Promise<string>
  /** Waits for the next log line with this message that was not asked for before. */
  readonly logs: (msg: string) => Promise<Line>
  /** Waits for the end; a number is an exit code, a text the signal that killed it. */
  readonly ended: () => Promise<number | string | null>
}

export function spawnPostern(
  args: readonly string[],
  options: { cwd: string; env?: NodeJS.ProcessEnv; isBelowShell?: boolean },
): Postern {
  const program = fileURLToPath(new URL('../../bin/postern.js', import.meta.url))
  const shell = options.isBelowShell ? ['sh', '-c', '"$0" "$@"; :'] : []
  const [command = '', ...rest] = [...shell, process.execPath, program, ...args]
  const child = spawn(command, rest, {
    // A group of its own, so that what the shell leaves behind can be ended too.
    detached: options.isBelowShell === true,
    cwd: options.cwd,
    env: { ...process.env, NODE_TEST_CONTEXT: undefined, NO_COLOR: '1', ...options.env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const seen = { out: '', err: '' }
  const taken = new Set<number>()
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    seen.out += text
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    seen.err += text
  })
  const closed = once(child, 'close')
  // `dev` tells its operator what to sign in with; its log has no more right to it than any other.
  const isLog = args[0] === 'dev' ? (line: string) => line.includes('"level":') : () => true
  watchOutput(`the output of postern ${args.join(' ')}`, () =>
    `${seen.out}\n${seen.err}`.split('\n').filter(isLog).join('\n'),
  )

  async function waitFor<Found>(look: () => Found | undefined, what: string): Promise<Found> {
    for (;;) {
      const found = look()
      if (found !== undefined) return found
      if (child.stdout.closed) throw new Error(`ended before ${what}\n${seen.out}\n${seen.err}`)
      await Promise.race([once(child.stdout, 'data'), closed])
    }
  }

  return {
    child,
    out: () => seen.out,
    err: () => seen.err,
    says: (text) => waitFor(() => (seen.out.includes(text) ? seen.out : undefined), text),
    logs: (msg) =>
      waitFor(() => {
        const lines = seen.out.split('\n').slice(0, -1)
        const index = lines.findIndex((line, at) => !taken.has(at) && line.includes(`"msg":"${msg}"`))
        if (index === -1) return undefined
        taken.add(index)
        return JSON.parse(lines[index] ?? '')
      }, msg),
    ended: async () => {
      await closed
      return child.exitCode ?? child.signalCode
    },
    [Symbol.asyncDispose]: async () => {
      if (options.isBelowShell) endGroup(child.pid)
      else if (child.exitCode === null && child.signalCode === null) await endAlone(child)
      await closed
    },
  }
}

/** Asked first: `dev` then ends its authority, which would go on writing for a moment after a kill. */
async function endAlone(child: ChildProcess): Promise<void> {
  const late = setTimeout(() => child.kill('SIGKILL'), 40_000)
  child.kill('SIGTERM')
  await once(child, 'exit')
  clearTimeout(late)
}

function endGroup(leader: number | undefined): void {
  try {
    if (leader !== undefined) process.kill(-leader, 'SIGKILL')
  } catch {
    // Nobody is left in it.
  }
}

/** A folder of its own, gone when it is disposed of. */
export interface Folder extends AsyncDisposable {
  readonly path: string
  readonly write: (name: string, text: string) => Promise<void>
}

export async function freshFolder(): Promise<Folder> {
  const path = await mkdtemp(join(tmpdir(), 'postern-serving-'))
  return {
    path,
    write: (name, text) => writeFile(join(path, name), text),
    [Symbol.asyncDispose]: async () => {
      watchFolder(path)
      // Whoever was killed may have left a child that takes a moment to notice.
      await rm(path, { recursive: true, force: true, maxRetries: 20 })
    },
  }
}

export function portOfUrl(line: Line): number {
  return Number(new URL(String(line.url)).port)
}
