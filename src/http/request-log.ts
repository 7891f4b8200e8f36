import { type FastifyReply, type FastifyRequest, LogController } from 'fastify'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** For probes, which ask again and again: their 503 is an answer, not news. */
    readonly isProbe?: boolean
  }
}

/** One line per finished request: never a header, a body or a query, where tokens live. */
export class RequestLog extends LogController {
  constructor() {
    super({ requestIdLogLabel: 'request_id' })
  }

  override requestCompleted(
    error: Error | null | undefined,
    request: FastifyRequest,
    reply: FastifyReply,
  ): void {
    const status = reply.statusCode
    if (error) request.log.warn({ ...outline(request, reply), err: error }, 'answer broke off')
    else if (status >= 500 && request.routeOptions.config.isProbe !== true)
      request.log.warn(outline(request, reply), 'request')
    else if (isVerbose(request)) request.log.debug(outline(request, reply), 'request')
  }

  /** An answer that never gets out does not finish, so its end is heard from the connection. */
  override incomingRequest(request: FastifyRequest, reply: FastifyReply): void {
    if (!isVerbose(request)) return
    let isOver = false
    const over = (): void => {
      isOver = true
    }
    reply.raw.once('finish', over).once('error', over)
    reply.raw.once('close', () => {
      if (isOver) return
      const { status: _, ...rest } = outline(request, reply)
      request.log.debug(rest, 'connection closed before the answer was out')
    })
  }
  override routeNotFound(): void {}
  /** The error boundary has logged it. */
  override defaultErrorLog(): void {}

  override streamError(error: Error, request: FastifyRequest): void {
    // Callers hang up on streams all the time.
    const isHangUp = 'code' in error && error.code === 'ERR_STREAM_PREMATURE_CLOSE'
    request.log[isHangUp ? 'debug' : 'warn']({ err: error }, 'answer broke off')
  }
  override writeHeadError(error: Error, request: FastifyRequest): void {
    request.log.error({ err: error }, 'answer could not be written')
  }
  override serializerError(error: Error, request: FastifyRequest): void {
    request.log.error({ err: error }, 'answer could not be written')
  }
}

function isVerbose({ log }: FastifyRequest): boolean {
  return log.level === 'debug' || log.level === 'trace'
}

function outline(request: FastifyRequest, reply: FastifyReply): Readonly<Record<string, unknown>> {
  return {
    method: request.method,
    path: pathOf(request.url),
    status: reply.statusCode,
    ms: Math.round(reply.elapsedTime * 100) / 100,
  }
}

/** Without the query, and without the authority of a target in absolute form, which may hold a password. */
function pathOf(target: string): string {
  const end = target.search(queryOrFragment)
  const path = end === -1 ? target : target.slice(0, end)
  const start = path.startsWith('/') ? 0 : path.indexOf('/', path.indexOf('//') + 2)
  if (start === -1) return '/'
  const length = path.length - start
  // Left out rather than cut: half of a secret is no longer found by its value.
  return length <= longestPath ? path.slice(start) : `[${length} characters]`
}

const queryOrFragment = /[?#]/
const longestPath = 2048
