import { getCompileCacheDir } from 'node:module'
import { Worker } from 'node:worker_threads'
import type { DrainReport, DrainSetup, FromDrain, ToDrain } from './drain-messages.ts'

/** A drain in a thread of its own, started again when it crashes. */
export interface DrainThread {
  readonly send: (message: ToDrain) => void
  /** Whether everything came into the store in time; the thread has ended in any case. */
  readonly finish: (milliseconds: number) => Promise<boolean>
}

export interface DrainThreadOptions {
  readonly setup: DrainSetup
  readonly tell: (report: DrainReport) => void
  readonly onCrash: (error: unknown) => void
  readonly script?: URL
}

export function startDrainThread(options: DrainThreadOptions): DrainThread {
  const { setup, tell, onCrash, script = workerScript() } = options
  const finished = Promise.withResolvers<boolean>()
  let isFinishing = false
  let restart: NodeJS.Timeout | undefined
  let worker = start()

  function start(): Worker {
    const isCompileCached = getCompileCacheDir() !== undefined
    const started = new Worker(script, { workerData: { ...setup, isCompileCached } satisfies DrainSetup })
    // What waits is safe in the spool: a program that forgets to close its recorder can end.
    started.unref()
    started.on('message', (message: FromDrain) => {
      if (message.kind === 'finished') finished.resolve(true)
      else tell(message)
    })
    started.on('error', onCrash)
    started.on('exit', () => {
      if (isFinishing) finished.resolve(false)
      else startLater()
    })
    return started
  }

  function startLater(): void {
    restart = setTimeout(startAgain, restartMs).unref()
  }

  function startAgain(): void {
    try {
      // It finds by itself what is there, and where the ledger is.
      worker = start()
    } catch (error) {
      onCrash(error)
      startLater()
    }
  }

  return {
    send: (message) => worker.postMessage(message),
    finish: async (milliseconds) => {
      isFinishing = true
      clearTimeout(restart)
      worker.ref()
      if (worker.threadId === -1) return false
      worker.postMessage({ kind: 'finish' } satisfies ToDrain)
      const timer = setTimeout(() => finished.resolve(false), milliseconds)
      const isDone = await finished.promise
      clearTimeout(timer)
      await worker.terminate()
      return isDone
    },
  }
}

const restartMs = 1000

/** TypeScript in a checkout, JavaScript once built. */
function workerScript(): URL {
  return new URL(import.meta.url.endsWith('.ts') ? './worker.ts' : './worker.js', import.meta.url)
}
