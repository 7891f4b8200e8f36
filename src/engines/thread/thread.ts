import { Worker } from 'node:worker_threads'
import { Failure, type FailureCode } from '../../failure/failure.ts'
import { createMailbox, type Mailbox } from './mailbox.ts'

export type ToThread<Job> =
  | { readonly kind: 'start'; readonly id: number; readonly job: Job }
  | { readonly kind: 'stop'; readonly id: number }

export type FromThread<Event> =
  | { readonly kind: 'event'; readonly id: number; readonly event: Event }
  | { readonly kind: 'end'; readonly id: number }
  | ({ readonly kind: 'failed'; readonly id: number } & Described)
  | ({ readonly kind: 'broken' } & Described)

interface Described {
  readonly code: FailureCode
  readonly message: string
  readonly cause?: unknown
}

/** Calls answered by a worker thread, which starts with the first of them and again after a crash. */
export interface Thread<Job, Event> {
  readonly call: (job: Job, signal: AbortSignal) => AsyncGenerator<Event, void>
  /** Calls whose work has not ended, also those that nobody waits for any more. */
  readonly load: () => number
  /** Resolves when the thread has reported the end of all work. */
  readonly idle: () => Promise<void>
  readonly close: () => Promise<void>
}

export interface ThreadOptions<Job> {
  readonly script: URL
  /** What the worker is started with. */
  readonly setup: () => unknown
  /** Whether there is room for the job beside those in flight. */
  readonly hasRoom: (job: Job, inFlight: readonly Job[]) => boolean
}

/** The file of a worker: TypeScript in a checkout, JavaScript once built. */
export function threadScript(name: string, neighbour: string): URL {
  return new URL(`./${name}${neighbour.endsWith('.ts') ? '.ts' : '.js'}`, neighbour)
}

export function createThread<Job, Event>(options: ThreadOptions<Job>): Thread<Job, Event> {
  const calls = new Map<number, { readonly job: Job; readonly mailbox: Mailbox<Event> }>()
  let worker: Worker | undefined
  let isClosed = false
  let lastId = 0
  let whenIdle: (() => void)[] = []

  function settle(id: number, failure?: Failure): void {
    calls.get(id)?.mailbox.end(failure)
    calls.delete(id)
    if (calls.size > 0) return
    worker?.unref()
    for (const resolve of whenIdle) resolve()
    whenIdle = []
  }

  /** All calls in flight fail; the next one starts another worker. */
  function lose(lost: Worker, failure: Failure): void {
    if (worker !== lost) return
    worker = undefined
    void lost.terminate()
    for (const id of calls.keys()) settle(id, failure)
  }

  function receive(from: Worker, message: FromThread<Event>): void {
    if (message.kind === 'event') calls.get(message.id)?.mailbox.put(message.event)
    else if (message.kind === 'end') settle(message.id)
    else if (message.kind === 'failed') settle(message.id, failureOf(message))
    else lose(from, failureOf(message))
  }

  function start(): Worker {
    const started = new Worker(options.script, { workerData: options.setup() })
    started.on('message', (message: FromThread<Event>) => receive(started, message))
    started.on('error', (cause) => lose(started, crashed(cause)))
    started.on('exit', (code) => lose(started, crashed(new Error(`the thread ended with code ${code}`))))
    return started
  }

  function open(job: Job): { id: number; mailbox: Mailbox<Event> } {
    if (isClosed) throw new Failure('unavailable', 'the model is shutting down')
    const inFlight = Array.from(calls.values(), (call) => call.job)
    if (!options.hasRoom(job, inFlight))
      throw new Failure('unavailable', 'the model is overloaded: try again later', { reason: 'overloaded' })
    worker ??= start()
    worker.ref()
    lastId += 1
    const mailbox = createMailbox<Event>()
    calls.set(lastId, { job, mailbox })
    post({ kind: 'start', id: lastId, job })
    return { id: lastId, mailbox }
  }

  function post(message: ToThread<Job>): void {
    worker?.postMessage(message)
  }

  return {
    load: () => calls.size,
    idle: () => (calls.size === 0 ? Promise.resolve() : new Promise((resolve) => whenIdle.push(resolve))),
    async *call(job, signal) {
      signal.throwIfAborted()
      const { id, mailbox } = open(job)
      const abort = (): void => mailbox.end(signal.reason)
      signal.addEventListener('abort', abort, { once: true })
      try {
        yield* mailbox.items()
      } finally {
        signal.removeEventListener('abort', abort)
        if (calls.has(id)) post({ kind: 'stop', id })
      }
    },
    close: async () => {
      isClosed = true
      const last = worker
      worker = undefined
      for (const id of calls.keys()) settle(id, new Failure('unavailable', 'the model is shutting down'))
      await last?.terminate()
    },
  }
}

function crashed(cause: unknown): Failure {
  return new Failure('unavailable', 'the embedded model stopped in the middle of its work: try again', {
    cause,
  })
}

function failureOf({ code, message, cause }: Described): Failure {
  return new Failure(code, message, { cause })
}
