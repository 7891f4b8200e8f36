import { isIPv6 } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { Failure } from '../failure/failure.ts'

/** Answers with the URL under which the server is reached on this machine; port 0 takes any free one. */
export async function listen(
  server: FastifyInstance,
  at: { readonly host: string; readonly port: number },
): Promise<string> {
  // For "localhost" Fastify opens a second server, for which its close() does not wait.
  const host = at.host.toLowerCase() === 'localhost' ? '127.0.0.1' : at.host
  const level = server.log.level
  // Fastify announces every address on a line of its own; the program's ready line says it once.
  server.log.level = 'warn'
  try {
    return await server.listen({ host, port: at.port })
  } catch (cause) {
    throw cannotListen(cause, at)
  } finally {
    server.log.level = level
  }
}

function cannotListen(
  cause: unknown,
  { host, port }: { readonly host: string; readonly port: number },
): unknown {
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined
  const why = typeof code === 'string' ? reasons[code] : undefined
  return why === undefined
    ? cause
    : new Failure('misconfigured', `cannot listen on ${isIPv6(host) ? `[${host}]` : host}:${port}: ${why}`, {
        cause,
      })
}

const noSuchAddress =
  'this machine does not have the address; set server.host to one that it has, or 0.0.0.0 for all'
const reasons: Readonly<Record<string, string>> = {
  EADDRINUSE: 'the port is in use; stop the other program or set server.port to another',
  EACCES: 'this user may not use the port; take one above 1023',
  EADDRNOTAVAIL: noSuchAddress,
  // A machine without IPv6.
  EAFNOSUPPORT: noSuchAddress,
  EAI_AGAIN: 'the name has no address, or no name server answers; set server.host to an IP address',
  ENOTFOUND: 'the name has no address; set server.host to an IP address',
}
