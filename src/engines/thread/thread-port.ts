import { parentPort } from 'node:worker_threads'
import { Failure } from '../../failure/failure.ts'
import type { FromThread, ToThread } from './thread.ts'

export interface ThreadHandlers<Job, Event> {
  readonly start: (id: number, job: Job, reply: Reply<Event>) => void
  /** Forgets the call; answers nothing more for it. */
  readonly stop: (id: number) => void
}

export interface Reply<Event> {
  readonly event: (event: Event) => void
  readonly end: () => void
  readonly fail: (error: unknown) => void
}

/** The side of the worker: listens once the handlers are there, and tells the caller why if they never will be. */
export async function serveThread<Job, Event>(
  open: () => Promise<ThreadHandlers<Job, Event>>,
): Promise<void> {
  const port = parentPort
  if (port === null) throw new Failure('internal', 'this file is the entry of a worker thread')
  const send = (message: FromThread<Event>): void => port.postMessage(message)
  try {
    const handlers = await open()
    port.on('message', (message: ToThread<Job>) => {
      const { id } = message
      if (message.kind === 'stop') {
        handlers.stop(id)
        send({ kind: 'end', id })
        return
      }
      handlers.start(id, message.job, {
        event: (event) => send({ kind: 'event', id, event }),
        end: () => send({ kind: 'end', id }),
        fail: (error) => send({ kind: 'failed', id, ...described(error) }),
      })
    })
  } catch (error) {
    send({ kind: 'broken', ...described(error) })
  }
}

/** A Failure loses its class on the way; its parts are sent. */
function described(error: unknown): Pick<Failure, 'code' | 'message' | 'cause'> {
  return error instanceof Failure
    ? { code: error.code, message: error.message, cause: error.cause }
    : { code: 'internal', message: 'the embedded model failed', cause: error }
}
