import { createClient } from '@redis/client'
import { inTime } from './in-time.ts'

export interface RedisLinkOptions {
  /** `redis://`, `rediss://` or `valkey://`. */
  readonly url: string
  readonly now: () => number
  /** The connection ended, or none could be made; another attempt follows by itself. */
  readonly onLost: (cause: unknown) => void
  readonly onReady: () => void
}

export interface RedisLink {
  /** Rejected at once while there is no connection, and when no reply comes in time: nothing waits in a queue. */
  readonly send: (command: readonly string[]) => Promise<unknown>
  readonly close: () => Promise<void>
}

/** One connection that mends itself. Opened once the first attempt has succeeded or failed. */
export async function openRedisLink(options: RedisLinkOptions): Promise<RedisLink> {
  const { now, onLost, onReady } = options
  let current: Connection | undefined
  let ready: Connection | undefined
  let readyAt = 0
  let pauseMs: number = shortestPauseMs
  let retry: NodeJS.Timeout | undefined

  async function connect(): Promise<void> {
    const connection = newConnection(options.url)
    current = connection
    connection.on('error', (cause: unknown) => lose(connection, cause))
    try {
      await inTime(greet(connection), connectMs)
      if (connection !== current) return
      ready = connection
      readyAt = now()
      onReady()
    } catch (cause) {
      lose(connection, cause)
    }
  }

  function lose(connection: Connection, cause: unknown): void {
    if (connection.isOpen) connection.destroy()
    if (connection !== current) return
    // One that comes and goes is asked ever more rarely as well.
    if (ready !== undefined && now() - readyAt >= steadyMs) pauseMs = shortestPauseMs
    current = undefined
    ready = undefined
    retry = setTimeout(() => void connect(), pauseMs).unref()
    pauseMs = Math.min(2 * pauseMs, longestPauseMs)
    onLost(cause)
  }

  async function send(command: readonly string[]): Promise<unknown> {
    const connection = ready
    if (connection === undefined) throw new Error('there is no connection to Redis')
    const reply = connection.sendCommand(command)
    reply.catch((error: unknown) => {
      if (isReplica(error)) lose(connection, error)
    })
    return inTime(reply, replyMs, () => watchSilence(reply, connection))
  }

  /** A reply that is late may still come; one that never does means a connection that is dead without saying so. */
  function watchSilence(reply: Promise<unknown>, connection: Connection): void {
    const silence = new Error(`Redis did not reply within ${replyMs + silenceMs} ms`)
    inTime(reply, silenceMs, () => lose(connection, silence)).catch(() => undefined)
  }

  await connect()
  const heartbeat = setInterval(() => void send(['PING']).catch(() => undefined), heartbeatMs).unref()
  return {
    send,
    close: async () => {
      clearInterval(heartbeat)
      clearTimeout(retry)
      const connection = current
      current = undefined
      ready = undefined
      if (connection?.isReady === true) await inTime(connection.close(), replyMs).catch(() => undefined)
      if (connection?.isOpen === true) connection.destroy()
    },
  }
}

/** A server that hangs still lets its system accept connections, and one that is a replica by now answers a PING. */
async function greet(connection: Connection): Promise<void> {
  await connection.connect()
  await connection.sendCommand(['PING'])
  try {
    await connection.sendCommand(['SET', '{postern}:greeting', '', 'PX', '1'])
  } catch (error) {
    if (isReplica(error)) throw error
  }
}

/** After a fail-over the connection is still that to the server of before: only another one leads to the new primary. */
function isReplica(error: unknown): boolean {
  // Before Redis 7 the error of a script is wrapped in another one.
  return error instanceof Error && /(?:^|[ -])(?:READONLY|MASTERDOWN) /.test(error.message)
}

type Connection = ReturnType<typeof newConnection>

function newConnection(url: string) {
  return createClient({
    url: addressOf(url),
    RESP: 2,
    disableClientInfo: true,
    maintNotifications: 'disabled',
    disableOfflineQueue: true,
    commandsQueueMaxLength: mostWaiting,
    socket: { connectTimeout: connectMs, reconnectStrategy: false },
  })
}

/** Valkey speaks the same. A user without a password is the password, as everywhere but in this client. */
function addressOf(text: string): string {
  const url = new URL(text.replace(/^valkey:/, 'redis:'))
  if (url.username === '' || url.password !== '') return url.href
  url.password = url.username
  url.username = ''
  return url.href
}

const replyMs = 500
const silenceMs = 1000
const connectMs = 2000
const shortestPauseMs = 50
const longestPauseMs = 2000
const steadyMs = 10_000
/** Firewalls drop idle connections without telling; so that is noticed before a caller does. */
const heartbeatMs = 5000
const mostWaiting = 10_000
