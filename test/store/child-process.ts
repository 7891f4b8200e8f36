import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'

/** Starts a program of this folder and waits until it says it is ready. */
export async function startChild(program: string, url: string): Promise<ChildProcess> {
  const child = fork(join(import.meta.dirname, program), [url], { execArgv: [] })
  await said(child, 'ready')
  return child
}

/** Waits for one message; a child that ends without it is an error. */
export async function said(child: ChildProcess, expected: string): Promise<void> {
  const ended = new AbortController()
  const onExit = (code: number | null): void =>
    ended.abort(new Error(`the child ended with ${code} before "${expected}"`))
  child.once('exit', onExit)
  const [message] = await once(child, 'message', { signal: ended.signal })
  child.off('exit', onExit)
  if (message !== expected) throw new Error(`the child said "${String(message)}" instead of "${expected}"`)
}
