import type { Log } from '../log/log.ts'
import type { CachedContents } from '../store/cached-contents.ts'
import type { Files } from '../store/files.ts'

export interface FileSweepOptions {
  readonly files: Pick<Files, 'sweep'>
  readonly cachedContents: Pick<CachedContents, 'sweep'>
  readonly log: Pick<Log, 'warn'>
  readonly everySeconds?: number
}

export interface FileSweep {
  /** Drops all that has expired by now; a second call while one is at work waits for that one. */
  readonly run: () => Promise<void>
  /** Resolves when nothing is at work any more. */
  readonly stop: () => Promise<void>
}

/** Drops what has expired, a few at a time. Any number of instances may do so at once, and none is kept alive by it. */
export function createFileSweep({
  files,
  cachedContents,
  log,
  everySeconds = 60,
}: FileSweepOptions): FileSweep {
  let isStopped = false
  let atWork: Promise<void> | undefined

  async function sweepAll(): Promise<void> {
    for (const { sweep } of [files, cachedContents]) while (!isStopped && (await sweep()) > 0);
  }

  function run(): Promise<void> {
    atWork ??= sweepAll().finally(() => {
      atWork = undefined
    })
    return atWork
  }

  const timer = setInterval(() => {
    run().catch((err: unknown) => log.warn({ err }, 'expired files could not be dropped; trying again later'))
  }, everySeconds * 1000)
  timer.unref()
  return {
    run,
    stop: async () => {
      isStopped = true
      clearInterval(timer)
      await atWork?.catch(() => undefined)
    },
  }
}
