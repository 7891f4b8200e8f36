import type { OutgoingHttpHeader } from 'node:http'
import type { FastifyReply } from 'fastify'

/** Sends a finished JSON text past Fastify's serializers and hooks; the headers set so far go out with it. */
export function sendText(reply: FastifyReply, status: number, text: string): void {
  const set = reply.getHeaders()
  reply.hijack()
  const headers: OutgoingHttpHeader[] = ['content-length', Buffer.byteLength(text)]
  if (text !== '') headers.push('content-type', 'application/json; charset=utf-8')
  for (const name of Object.keys(set)) {
    const value = set[name]
    if (value !== undefined) headers.push(name, value)
  }
  reply.raw.writeHead(status, headers)
  reply.raw.end(text)
}
