import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout } from 'node:timers/promises'
import { browserCommand, type Desktop } from '../client/node/browser-command.ts'

/** True if a browser was told to show the page, and did not fail at once. */
export async function openPage(page: URL, desktop: Desktop, patienceMs = 1500): Promise<boolean> {
  const found = browserCommand(page, desktop)
  if (found === undefined) return false
  const child = spawn(found.command, found.args, { stdio: 'ignore', detached: true })
  child.unref()
  const over = new AbortController()
  // A browser that runs on is one that shows the page.
  const running = setTimeout(patienceMs, true, { signal: over.signal }).catch(() => true)
  const ended = once(child, 'exit').then(
    ([code]) => code === 0,
    () => false,
  )
  try {
    return await Promise.race([ended, running])
  } finally {
    over.abort()
  }
}
