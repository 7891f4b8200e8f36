import type * as Sdk from '@modelcontextprotocol/client'
import { type Connection, closeConnection } from './tool-connection.ts'

/** A connection that is made anew when the server no longer knows its session. */
export interface LastingConnection {
  readonly sdk: typeof Sdk
  /** Runs `work`, and once more on a new session where the server has ended the one it was sent in. */
  readonly use: <Value>(work: (connection: Connection) => Promise<Value>) => Promise<Value>
  readonly close: () => Promise<void>
}

/** MCP until 2025-11-25, session management: whoever gets 404 for a session id MUST start a new session. */
export function lastingConnection(
  first: Connection,
  connect: (signal: AbortSignal) => Promise<Connection>,
): LastingConnection {
  const over = new AbortController()
  let current = Promise.resolve(first)
  let newest = first
  const users = new Map([[first, 0]])

  /** All who find the session gone wait for one new connection; where it fails, the next who calls tries again. */
  const renew = (gone: Promise<Connection>): void => {
    if (current !== gone || over.signal.aborted) return
    const next = connect(over.signal)
    current = next
    next.then(
      (connection) => {
        newest = connection
        for (const open of [...users.keys(), connection]) count(open, 0)
      },
      () => {
        current = gone
      },
    )
  }

  /** Others may still wait for answers on a connection that was replaced. */
  const count = (connection: Connection, change: number): void => {
    const left = (users.get(connection) ?? 0) + change
    users.set(connection, left)
    if (left > 0 || connection === newest) return
    users.delete(connection)
    connection.client.close().catch(() => undefined)
  }

  const attempt = async <Value>(
    work: (connection: Connection) => Promise<Value>,
    isLast: boolean,
  ): Promise<Value> => {
    const used = current
    const connection = await used
    count(connection, 1)
    try {
      return await work(connection)
    } catch (error) {
      if (isLast || !isSessionGone(connection, error)) throw error
      renew(used)
    } finally {
      count(connection, -1)
    }
    return attempt(work, true)
  }

  return {
    sdk: first.sdk,
    use: (work) => attempt(work, false),
    close: async () => {
      over.abort()
      await current.catch(() => undefined)
      for (const { client } of users.keys()) if (client !== newest.client) await client.close()
      await closeConnection(newest)
    },
  }
}

function isSessionGone({ sdk, transport }: Connection, error: unknown): boolean {
  return transport.sessionId !== undefined && error instanceof sdk.SdkHttpError && error.status === 404
}
