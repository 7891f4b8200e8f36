import type { FastifyReply, FastifyRequest } from 'fastify'
import type { CheckOutcome, Readiness } from './readiness.ts'

/** The process runs and answers; nothing else is asked, so that a slow store does not get it killed. */
export function liveness(_request: FastifyRequest, reply: FastifyReply): FastifyReply {
  return reply.header('content-type', 'application/json; charset=utf-8').send('{"status":"ok"}')
}

/** Whether to send traffic here: names of checks only, details are in the log. */
export function readinessHandler(
  readiness: Readiness,
  isStopping: () => boolean,
): (request: FastifyRequest, reply: FastifyReply) => Promise<ReadinessAnswer> {
  return async (_request, reply) => {
    if (isStopping()) return refuse(reply, { status: 'stopping' })
    const checks = await readiness()
    const isReady = Object.values(checks).every((outcome) => outcome === 'ok')
    return isReady ? { status: 'ready', checks } : refuse(reply, { status: 'not ready', checks })
  }
}

export interface ReadinessAnswer {
  readonly status: 'ready' | 'not ready' | 'stopping'
  readonly checks?: Readonly<Record<string, CheckOutcome>>
}

function refuse(reply: FastifyReply, answer: ReadinessAnswer): ReadinessAnswer {
  reply.code(503)
  return answer
}
