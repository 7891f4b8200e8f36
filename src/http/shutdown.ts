import type { Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import type { Log } from '../log/log.ts'
import { pendingAnswer } from './pending-answer.ts'

export interface Shutdown {
  readonly isStopping: () => boolean
  /** Resolves when every answer is out or cut and everything is released; a second call waits for the first. */
  readonly stop: () => Promise<void>
}

export interface ShutdownOptions {
  /** How long requests in flight may take before they are cut. */
  readonly graceSeconds: number
  readonly log: Log
  /** Closes what the handlers used, once no connection is left. */
  readonly release: () => Promise<void>
  /** How long that may take before it is left behind. */
  readonly releaseSeconds?: number
}

export function createShutdown(server: FastifyInstance, options: ShutdownOptions): Shutdown {
  const sockets = trackSockets(server)
  let stopped: Promise<void> | undefined
  return {
    isStopping: () => stopped !== undefined,
    stop: () => {
      stopped ??= drain(server, sockets, options)
      return stopped
    },
  }
}

async function drain(
  server: FastifyInstance,
  sockets: ReadonlySet<Socket>,
  options: ShutdownOptions,
): Promise<void> {
  const { graceSeconds, log } = options
  const closed = server.close()
  dismissAll(server, sockets)
  // Again and again: a connection accepted a moment too late, or an answer whose headers were out, leaves an idle one.
  const sweep = setInterval(() => dismissAll(server, sockets), sweepMs)
  const deadline = setTimeout(() => {
    log.warn({ connections: sockets.size, after_seconds: graceSeconds }, 'cutting what is still in flight')
    server.server.closeAllConnections()
  }, graceSeconds * 1000)
  try {
    await closed
  } finally {
    clearInterval(sweep)
    clearTimeout(deadline)
    await releaseInTime(options)
  }
}

/** A database that does not answer must not keep a stopping program alive. */
async function releaseInTime({ release, releaseSeconds = 5, log }: ShutdownOptions): Promise<void> {
  const timer = new AbortController()
  const late = delay(releaseSeconds * 1000, 'late' as const, { signal: timer.signal })
  try {
    if ((await Promise.race([release(), late])) === 'late')
      log.warn({ after_seconds: releaseSeconds }, 'the store did not close in time')
  } finally {
    timer.abort()
  }
}

function dismissAll(server: FastifyInstance, sockets: ReadonlySet<Socket>): void {
  server.server.closeIdleConnections()
  for (const socket of sockets) dismiss(socket)
}

/** The answer under way becomes the last of its connection; done here, it costs the requests before nothing. */
function dismiss(socket: Socket): void {
  const pending = pendingAnswer(socket)
  if (pending !== undefined) pending.shouldKeepAlive = false
  // Node 24 counts a connection that never sent a byte as busy; browsers open such ones ahead of need.
  else if (socket.bytesRead === 0) socket.destroy()
}

function trackSockets(server: FastifyInstance): ReadonlySet<Socket> {
  const sockets = new Set<Socket>()
  server.server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  return sockets
}

const sweepMs = 100
