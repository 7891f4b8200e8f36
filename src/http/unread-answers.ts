import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import type { Log } from '../log/log.ts'
import { pendingAnswer } from './pending-answer.ts'

/** Cuts a caller that does not take its answer: bytes wait for it and none has moved for that long. */
export function cutUnreadAnswers(
  server: FastifyInstance,
  { requestTimeoutSeconds, log }: { readonly requestTimeoutSeconds: number; readonly log: Log },
): void {
  server.server.setTimeout(requestTimeoutSeconds * 1000, (socket: Socket) => {
    if (socket.writableLength > 0) {
      log.debug({ bytes: socket.writableLength }, 'cut a connection whose caller does not take the answer')
      socket.destroy()
    }
    // With a listener, Node leaves it to us to end an idle connection; an answer still being made may take its time.
    else if (pendingAnswer(socket) === undefined) socket.destroy()
  })
}
