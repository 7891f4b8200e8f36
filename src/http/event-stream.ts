import type { FastifyReply } from 'fastify'

/** An answer sent piece by piece as server-sent events. */
export interface EventStream {
  /** A last event, then the end. */
  readonly end: (data: string) => void
  /** An event that may be left out: a reader who is behind does not make us remember more and more. */
  readonly offer: (data: string) => void
}

/** Takes the answer out of Fastify's hands; the headers set so far go out with it, and `data` is one line. */
export function openEventStream(reply: FastifyReply, keepAliveMs = 15_000): EventStream {
  reply.hijack()
  const { raw } = reply
  for (const [name, value] of Object.entries(reply.getHeaders()))
    if (value !== undefined) raw.setHeader(name, value)
  raw.setHeader('content-type', 'text/event-stream')
  raw.setHeader('x-accel-buffering', 'no')
  raw.writeHead(200)
  raw.flushHeaders()
  const beat = setInterval(() => raw.write(comment), keepAliveMs)
  raw.once('close', () => clearInterval(beat))
  return {
    end: (data) => {
      clearInterval(beat)
      raw.end(event(data))
    },
    offer: (data) => {
      if (!raw.destroyed && !raw.writableEnded && !raw.writableNeedDrain) raw.write(event(data))
    },
  }
}

/** Intermediaries close what stays silent. */
const comment = ': keep-alive\n\n'

function event(data: string): string {
  return `event: message\ndata: ${data}\n\n`
}
