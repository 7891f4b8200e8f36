import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Linger } from './linger.ts'
import { hasOwnTime } from './own-time.ts'

export interface UnreadRules {
  /** How many bytes are read to keep a connection. */
  readonly limitOf: (request: FastifyRequest) => number
  readonly linger: Linger
}

/** Node reads what is left of a body to its end, however long, unless the answer is the last of its connection. */
export function endIfUnread(request: FastifyRequest, reply: FastifyReply, rules: UnreadRules): void {
  if (request.raw.complete || isShort(request, rules)) return
  reply.header('connection', 'close')
  rules.linger(request.raw)
}

function isShort(request: FastifyRequest, { limitOf }: UnreadRules): boolean {
  // Who read it in its own time has stopped, and nothing else would end what is left.
  if (hasOwnTime(request.raw)) return request.raw.readableEnded
  const { 'transfer-encoding': encoding, 'content-length': length } = request.raw.headers
  return encoding === undefined && (length === undefined || !(Number(length) > limitOf(request)))
}
