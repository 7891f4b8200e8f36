import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { ConnectionError } from 'fastify'
import type { Log } from '../log/log.ts'
import { hasOwnTime } from './own-time.ts'
import { pendingAnswer } from './pending-answer.ts'
import type { RequestIds } from './request-id.ts'

/** What never became a request – broken HTTP, endless or late headers – is answered on the bare socket and cut. */
export function refuseOnSocket(log: Log, ids: RequestIds): (error: ConnectionError, socket: Socket) => void {
  return (error, socket) => {
    if (error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy()
      return
    }
    const pending = pendingAnswer(socket)
    // The fault lies behind a complete request: its answer goes out first, and is the last one on this connection.
    if (pending?.req.complete && !pending.writableEnded) {
      pending.shouldKeepAlive = false
      return
    }
    if (error.code === timeOver && isOwnTime(pending)) return
    if (pending?.headersSent) {
      socket.destroy()
      return
    }
    const [status, title, detail] = refusals[error.code] ?? malformed
    const requestId = ids({ headers: {} })
    log.debug({ request_id: requestId, status, reason: error.code }, 'connection refused')
    socket.write(answer({ type: 'about:blank', title, status, detail, request_id: requestId }))
    socket.destroySoon()
  }
}

const timeOver = 'ERR_HTTP_REQUEST_TIMEOUT'

/** Once it is answered nobody reads the body any more, and its time is bounded by that. */
function isOwnTime(pending: ServerResponse | undefined): boolean {
  return pending !== undefined && !pending.headersSent && hasOwnTime(pending.req)
}

type Refusal = readonly [number, string, string]

const malformed: Refusal = [400, 'Bad Request', 'this is not a valid HTTP/1.1 request']
const refusals: Readonly<Record<string, Refusal>> = {
  HPE_HEADER_OVERFLOW: [
    431,
    'Request Header Fields Too Large',
    'the headers are too large; send at most 16 KiB',
  ],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: [413, 'Content Too Large', 'the chunk extensions are too large'],
  [timeOver]: [408, 'Request Timeout', 'the request did not arrive in time'],
}

function answer(problem: {
  readonly status: number
  readonly title: string
  readonly request_id: string
  readonly type: string
  readonly detail: string
}): string {
  const body = JSON.stringify(problem)
  return [
    `HTTP/1.1 ${problem.status} ${problem.title}`,
    'connection: close',
    'content-type: application/problem+json',
    `content-length: ${Buffer.byteLength(body)}`,
    'cache-control: no-store',
    'x-content-type-options: nosniff',
    `x-request-id: ${problem.request_id}`,
    `date: ${new Date().toUTCString()}`,
    '',
    body,
  ].join('\r\n')
}
