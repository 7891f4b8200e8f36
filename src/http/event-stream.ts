import type { ServerResponse } from 'node:http'
import type { FastifyReply } from 'fastify'

/** An answer sent piece by piece as server-sent events. */
export interface EventStream {
  /** A last event, if there is one, then the end. */
  readonly end: (data?: string) => void
  /** An event that may be left out: a reader who is behind does not make us remember more and more. */
  readonly offer: (data: string) => void
  /** An event that is not left out. False: the reader has gone; a promise: wait for it before more is sent. */
  readonly send: (event: StreamEvent) => boolean | Promise<boolean>
}

interface StreamEvent {
  /** Absent: readers keep the id, as HTML has it, and pass nothing on. */
  readonly data?: string
  /** `message` unless told. */
  readonly name?: string
  /** What a reader that comes back names as the last it saw. */
  readonly id?: string
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
  const beat = setInterval(() => {
    // Who left before the stream began closes no more.
    if (raw.destroyed) clearInterval(beat)
    else raw.write(comment)
  }, keepAliveMs)
  raw.once('close', () => clearInterval(beat))
  return {
    end: (data) => {
      clearInterval(beat)
      if (data === undefined) raw.end()
      else raw.end(event(data))
    },
    offer: (data) => {
      if (isOpen(raw) && !raw.writableNeedDrain) raw.write(event(data))
    },
    send: ({ data, id, name }) => {
      if (!isOpen(raw)) return false
      const text = data === undefined ? '\n' : event(data, name)
      const isRoomLeft = raw.write(id === undefined ? text : `id: ${id}\n${text}`)
      return isRoomLeft || caughtUp(raw)
    },
  }
}

/** Intermediaries close what stays silent. */
const comment = ': keep-alive\n\n'

function isOpen(raw: ServerResponse): boolean {
  return !raw.destroyed && !raw.writableEnded
}

/** When the reader has taken everything, or has gone. */
function caughtUp(raw: ServerResponse): Promise<boolean> {
  return new Promise((resolve) => {
    const settle = (): void => {
      raw.off('drain', settle).off('close', settle)
      resolve(isOpen(raw))
    }
    raw.on('drain', settle).on('close', settle)
  })
}

function event(data: string, name = 'message'): string {
  return `event: ${name}\ndata: ${data}\n\n`
}
