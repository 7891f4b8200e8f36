import type { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'

export interface LingerLimits {
  readonly ms: number
  readonly bytes: number
  /** How many connections at once; of any more nothing is read. */
  readonly connections: number
}

/** To be called before the last answer of a connection goes out. */
export type Linger = (request: IncomingMessage) => void

/**
 * A connection that is closed with bytes unread is reset, and who is still sending then never sees the answer. So what comes
 * behind it is thrown away for a while, and no request is read out of it.
 */
export function createLinger(limits: LingerLimits = lingerLimits): Linger {
  let lingering = 0
  return (request) => {
    const { socket } = request
    // What `inject` sends has none.
    if (!(socket instanceof Socket)) return
    const close = socket.destroySoon.bind(socket)
    // Node calls it when the last answer is out.
    socket.destroySoon = () => {
      socket.destroySoon = close
      if (request.complete || lingering >= limits.connections) close()
      else {
        lingering += 1
        socket.once('close', () => {
          lingering -= 1
        })
        discard(socket, limits, close)
      }
    }
  }
}

const lingerLimits: LingerLimits = { ms: 2000, bytes: 64 * 2 ** 20, connections: 100 }

function discard(socket: Socket, { ms, bytes }: LingerLimits, close: () => void): void {
  const most = socket.bytesRead + bytes
  const stop = (): void => {
    socket.pause()
    close()
  }
  const timer = setTimeout(stop, ms)
  socket.once('close', () => clearTimeout(timer))
  socket.removeAllListeners('data')
  socket.on('data', () => {
    if (socket.bytesRead > most) stop()
  })
  socket.end()
  socket.resume()
}
