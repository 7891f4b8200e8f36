import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'

/** Waits until something listens on the port, for a server that does not say so. */
export async function answers(port: number): Promise<void> {
  for (let tries = 0; tries < 100; tries += 1) {
    const socket = connect({ port, host: '127.0.0.1' })
    try {
      await once(socket, 'connect')
      return
    } catch {
      await delay(100)
    } finally {
      socket.destroy()
    }
  }
  throw new Error(`nothing listens on port ${port}`)
}
