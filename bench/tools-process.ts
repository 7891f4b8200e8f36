import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpus } from 'node:os'
import { join } from 'node:path'

export interface PinnedProcess {
  /** Sends a message and waits for the answer. */
  readonly ask: <Answer>(message: unknown) => Promise<Answer>
  readonly stop: () => Promise<void>
}

/** A program of this folder, on a core of its own if asked and where the system has `taskset` and a second core. */
export async function startPinned(
  program: string,
  options: { readonly core?: number; readonly settings?: unknown },
): Promise<PinnedProcess> {
  const node = [process.execPath, join(import.meta.dirname, program), JSON.stringify(options.settings ?? {})]
  const [command = '', ...args] =
    isPinned && options.core !== undefined ? ['taskset', '-c', String(options.core), ...node] : node
  const child = spawn(command, args, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
  await answerOf(child)
  return {
    ask: async <Answer>(message: unknown): Promise<Answer> => {
      child.send(Object(message))
      return answerOf<Answer>(child)
    },
    stop: async () => {
      const closed = once(child, 'close')
      child.kill('SIGKILL')
      await closed
    },
  }
}

export const isPinned: boolean = process.platform === 'linux' && cpus().length > 1

async function answerOf<Answer>(child: ChildProcess): Promise<Answer> {
  const ended = new AbortController()
  const onExit = (code: number | null): void => ended.abort(new Error(`a process ended with ${code}`))
  child.once('exit', onExit)
  const [answer]: Answer[] = await once(child, 'message', { signal: ended.signal })
  child.off('exit', onExit)
  if (answer === undefined) throw new Error('a process answered nothing')
  return answer
}
