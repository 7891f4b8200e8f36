import { once } from 'node:events'
import { createServer } from 'node:net'

/** A port that is free right now; 0 asks the system for any. */
export async function freePort(host: string, port: number): Promise<number | undefined> {
  const probe = createServer()
  const listening = once(probe, 'listening')
  probe.listen({ host, port })
  try {
    await listening
    const address = probe.address()
    return typeof address === 'object' ? address?.port : undefined
  } catch {
    return undefined
  } finally {
    probe.close()
  }
}
