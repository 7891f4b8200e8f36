import { randomUUID } from 'node:crypto'
import { link, open, readFile, rename, rm, stat, utimes } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'

export interface LockTimes {
  /** How often the holder shows that it lives. */
  readonly beatMs: number
  /** How long a waiter sees no sign of life before it takes the lock away. */
  readonly staleMs: number
}

/** Runs `work` while no other process runs one under the same path; that of a process that has died is taken over. */
export async function withFileLock<Value>(
  path: string,
  work: () => Promise<Value>,
  times: LockTimes = { beatMs: 1000, staleMs: 8000 },
): Promise<Value> {
  const id = randomUUID()
  await acquire(path, id, times)
  const beat = setInterval(() => {
    const now = new Date()
    utimes(path, now, now).catch(() => undefined)
  }, times.beatMs)
  try {
    return await work()
  } finally {
    clearInterval(beat)
    if ((await seen(path))?.id === id) await rm(path, { force: true })
  }
}

async function acquire(path: string, id: string, { staleMs }: LockTimes): Promise<void> {
  let last: Sight | undefined
  let unchangedSince = performance.now()
  while (!(await claim(path, id))) {
    const sight = await seen(path)
    if (sight?.id !== last?.id || sight?.touchedAt !== last?.touchedAt) unchangedSince = performance.now()
    last = sight
    // By the waiter's own clock: a machine that was asleep is no sign that the holder is dead.
    if (last !== undefined && performance.now() - unchangedSince > staleMs) await takeAway(path, last.id)
    await pause(20 + Math.random() * 40)
  }
}

async function claim(path: string, id: string): Promise<boolean> {
  try {
    const handle = await open(path, 'wx', 0o600)
    try {
      await handle.writeFile(id)
    } finally {
      await handle.close()
    }
    return true
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false
    throw error
  }
}

interface Sight {
  readonly id: string
  readonly touchedAt: number
}

async function seen(path: string): Promise<Sight | undefined> {
  try {
    return { id: await readFile(path, 'utf8'), touchedAt: (await stat(path)).mtimeMs }
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined
    throw error
  }
}

/** Moved aside first, because another waiter may have done the same and hold a new lock by now. */
async function takeAway(path: string, staleId: string): Promise<void> {
  const aside = `${path}.${randomUUID()}`
  try {
    await rename(path, aside)
    if ((await seen(aside))?.id !== staleId) await link(aside, path)
  } catch (error) {
    if (!hasCode(error, 'ENOENT') && !hasCode(error, 'EEXIST')) throw error
  } finally {
    await rm(aside, { force: true })
  }
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code
}
