import type { FastifyReply, FastifyRequest } from 'fastify'

/** Node reads what is left of a body to its end, however long, unless the answer is the last of its connection. */
export function endIfUnread(request: FastifyRequest, reply: FastifyReply, bodyLimit: number): void {
  const { complete, headers } = request.raw
  if (complete) return
  if (headers['transfer-encoding'] === undefined && !(Number(headers['content-length']) > bodyLimit)) return
  reply.header('connection', 'close')
}
