import { AsyncLocalStorage } from 'node:async_hooks'
import { isJSONRPCRequest, type StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { Failure } from '../failure/failure.ts'

/** A request on its way to an upstream. */
interface Sending {
  /** Why its answer cannot come any more. */
  fault: Failure | undefined
  /** Aborted when nobody waits for its answer any more. */
  readonly signal: AbortSignal | undefined
  readonly end: () => void
}

/** The SDK does not tell to which request a stream or an attempt to resume it belongs; the context in which it runs does. */
const sending = new AsyncLocalStorage<Sending | undefined>()

const caller = new AsyncLocalStorage<AbortSignal>()

/** What is sent meanwhile is sent for somebody who may leave: then no answer is resumed. */
export function sendingFor<Result>(signal: AbortSignal, work: () => Promise<Result>): Promise<Result> {
  return caller.run(signal, work)
}

/** For whoever reads the answer: a request that is refused halfway says why. */
export function faultOfSending(): (fault: Failure) => void {
  const request = sending.getStore()
  return (fault) => {
    if (request !== undefined) request.fault = fault
  }
}

/** Fails a request when the stream of its answer is over without one; the SDK would wait for the time-out. */
export function endWithStreams(transport: StreamableHTTPClientTransport): void {
  const send = transport.send.bind(transport)
  transport.send = (message, options = {}) => {
    // Whatever made us send it: the stream of changes, which a notification opens, belongs to no request.
    if (!isJSONRPCRequest(message)) return sending.run(undefined, () => send(message, options))
    return new Promise((_resolve, reject) => {
      const request: Sending = {
        fault: undefined,
        signal: caller.getStore(),
        // After the answer, which is what the SDK waits for, this says nothing any more.
        end: options.onRequestStreamEnd ?? (() => reject(request.fault ?? endedEarly())),
      }
      sending.run(request, () => send(message, { ...options, onRequestStreamEnd: request.end })).catch(reject)
    })
  }
}

function endedEarly(): Failure {
  return new Failure('unavailable', 'the stream of an answer ended before the answer', { reason: brokenOff })
}

/** The reason of a failure after which nobody knows whether the request was carried out. */
export const brokenOff = 'broken_off'

export interface ResumePauses {
  readonly retryMs: number
  readonly maxRetryMs: number
}

type Scheduler = (reconnect: () => void, delay: number, attempt: number) => () => void

/** The stream of changes is opened again for as long as the connection lives, that of an answer for as long as somebody waits. */
export function resumeScheduler({ retryMs, maxRetryMs }: ResumePauses): Scheduler {
  return (reconnect, delay, attempt) => {
    const request = sending.getStore()
    if (request?.signal?.aborted === true) return () => undefined
    if (request !== undefined && attempt >= maxResumes) {
      request.end()
      return () => undefined
    }
    // A server may ask for no pause at all, or for one that no timer can count, and end every stream at once.
    const least = request === undefined ? retryMs * 2 ** attempt : Math.min(retryMs, leastPauseMs)
    const pause = Math.min(Math.max(delay, least), maxRetryMs)
    const timer = setTimeout(reconnect, pause).unref()
    return () => clearTimeout(timer)
  }
}

const maxResumes = 2
const leastPauseMs = 100
