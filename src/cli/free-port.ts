import { once } from 'node:events'
import { createServer } from 'node:net'
import { Failure } from '../failure/failure.ts'

/** Any port that is free on this host right now. */
export async function freePort(host: string): Promise<number> {
  try {
    return await tryPort(host, 0)
  } catch (cause) {
    throw new Failure(
      'misconfigured',
      `there is no free port on the host ${host} (${codeOf(cause)}); set server.host to an address of this machine`,
      { cause },
    )
  }
}

/** Whether this port of 127.0.0.1 is free right now. */
export async function isFreePort(port: number): Promise<boolean> {
  try {
    await tryPort('127.0.0.1', port)
    return true
  } catch (error) {
    if (codeOf(error) === 'EADDRINUSE') return false
    throw error
  }
}

/** The port that could be listened on, given up again. */
async function tryPort(host: string, port: number): Promise<number> {
  const probe = createServer()
  try {
    const listening = once(probe, 'listening')
    probe.listen({ host, port })
    await listening
    const address = probe.address()
    if (typeof address === 'object' && address !== null) return address.port
    throw new Error('the probe has no address')
  } finally {
    probe.close()
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown'
}
