import { Writable } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import { createHttpServer, type HttpServerOptions } from '../../src/http/http-server.ts'
import { createOriginGuard } from '../../src/http/origin-guard.ts'
import type { OriginSettings } from '../../src/http/origin-policy.ts'
import { createLog, type Log } from '../../src/log/log.ts'
import { watchOutput } from '../records/secret-search-notes.ts'

export interface PlainServer {
  readonly server: FastifyInstance
  readonly log: Log
  /** Every line logged so far, parsed. */
  readonly lines: Readonly<Record<string, unknown>>[]
}

/** The shared HTTP set-up without any surface; tests add the routes they need. */
export function plainServer(options: Partial<HttpServerOptions & OriginSettings> = {}): PlainServer {
  const { log, lines } = recordingLog()
  const guard = createOriginGuard({
    listenHost: options.listenHost ?? '127.0.0.1',
    publicUrl: options.publicUrl ?? 'http://127.0.0.1:8080',
    allowedHosts: options.allowedHosts ?? [],
    allowedOrigins: options.allowedOrigins ?? [],
  })
  const server = createHttpServer({
    log,
    guard,
    bodyLimitBytes: 1024,
    headersTimeoutSeconds: 10,
    requestTimeoutSeconds: 30,
    keepAliveTimeoutSeconds: 5,
    ...options,
  })
  return { server, log, lines }
}

export function recordingLog(): { readonly log: Log; readonly lines: Readonly<Record<string, unknown>>[] } {
  const lines: Readonly<Record<string, unknown>>[] = []
  const destination = new Writable({
    write(chunk, _encoding, done) {
      lines.push(JSON.parse(String(chunk)))
      done()
    },
  })
  watchOutput('the log of a server in a test', () => lines.map((line) => JSON.stringify(line)).join('\n'))
  return { log: createLog({ level: 'debug', destination }), lines }
}

export const open = { config: { access: { open: 'a test' } } } as const
