import { once } from 'node:events'
import { createServer } from 'node:net'
import { Failure } from '../failure/failure.ts'

/** Any port that is free on this host right now. */
export async function freePort(host: string): Promise<number> {
  const probe = createServer()
  const listening = once(probe, 'listening')
  probe.listen({ host, port: 0 })
  try {
    await listening
    const address = probe.address()
    if (typeof address === 'object' && address !== null) return address.port
    throw new Error('the probe has no address')
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown'
    throw new Failure(
      'misconfigured',
      `there is no free port on the host ${host} (${code}); set server.host to an address of this machine`,
      { cause },
    )
  } finally {
    probe.close()
  }
}
