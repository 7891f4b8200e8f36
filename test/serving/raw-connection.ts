import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

/** A bare socket: what an HTTP library would refuse to send can be sent, and what comes back is seen as it is. */
export interface RawConnection {
  readonly socket: Socket
  readonly send: (text: string) => void
  /** Waits until the text has arrived and answers with everything received up to now. */
  readonly until: (text: string) => Promise<string>
  /** Waits for the server to close the connection and answers with everything received. */
  readonly closed: () => Promise<string>
}

export async function rawConnection(port: number): Promise<RawConnection> {
  const socket = connect({ port, host: '127.0.0.1' })
  let received = ''
  socket.setEncoding('latin1')
  socket.on('data', (chunk) => {
    received += chunk
  })
  // A cut connection is an outcome that tests look at through closed().
  socket.on('error', () => {})
  const closing = new Promise<void>((resolve) => {
    socket.once('close', () => resolve())
  })
  await once(socket, 'connect')
  return {
    socket,
    send: (text) => void socket.write(text, 'latin1'),
    until: async (text) => {
      while (!received.includes(text)) {
        if (socket.readableEnded || socket.destroyed) throw new Error(`closed before ${text}: ${received}`)
        await Promise.race([once(socket, 'data'), closing])
      }
      return received
    },
    closed: async () => {
      await closing
      return received
    },
  }
}

/** Sends the text and waits for the answer and the end of the connection. */
export async function rawExchange(port: number, text: string): Promise<string> {
  const connection = await rawConnection(port)
  connection.send(text)
  return connection.closed()
}

export function portOf(server: { address(): unknown }): number {
  const address = server.address()
  if (
    typeof address === 'object' &&
    address !== null &&
    'port' in address &&
    typeof address.port === 'number'
  )
    return address.port
  throw new Error('the server does not listen')
}
