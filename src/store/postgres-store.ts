import { Kysely, PostgresDialect, type PostgresPool, sql } from 'kysely'
import pg from 'pg'
import { Failure } from '../failure/failure.ts'
import type { Log } from '../log/log.ts'
import { explained, postgresFailure, unreadableUrl } from './postgres-failure.ts'
import { preparing, statementNames } from './postgres-statements.ts'
import { exactValues } from './postgres-values.ts'
import type { Store } from './store.ts'

/** Opens `postgres://…`; parameters of the URL, such as `sslmode` or `statement_timeout`, win over ours. */
export async function connectPostgres<Schema>(
  url: string,
  options: { readonly log: Pick<Log, 'warn'> },
): Promise<Store<Schema>> {
  const settings = { ...limits, connectionString: url, types: exactValues, onConnect: useExactText }
  const place = placeOf(url, settings)
  const pool = new pg.Pool(settings)
  pool.on('connect', (client) => {
    // Without a listener of its own, a client that loses its server in the middle of a transaction ends the process.
    client.on('error', ({ message }) =>
      options.log.warn({ store: place, reason: message }, 'lost a connection to Postgres'),
    )
  })
  // The pool repeats what the client has said, with the client and its settings attached.
  pool.on('error', () => undefined)
  const db = new Kysely<Schema>({ dialect: new PostgresDialect({ pool: explaining(pool, place) }) })
  const ping = async (): Promise<void> => {
    try {
      await sql`select 1`.execute(db)
    } catch (error) {
      throw error instanceof Failure ? error : postgresFailure(error, place)
    }
  }
  try {
    await ping()
  } catch (error) {
    await db.destroy()
    throw error
  }
  return { dialect: 'postgres', db, ping, close: () => db.destroy() }
}

const limits = {
  application_name: 'postern',
  max: 10,
  connectionTimeoutMillis: 5000,
  idleTimeoutMillis: 30_000,
  statement_timeout: 30_000,
  idle_in_transaction_session_timeout: 60_000,
  keepAlive: true,
  keepAliveInitialDelayMillis: 10_000,
} as const satisfies pg.PoolConfig

/** Only under these settings is a time or a float as text exact, in one form. */
async function useExactText(client: pg.ClientBase): Promise<void> {
  await client.query(`set datestyle = 'ISO'; set timezone = 'UTC'; set extra_float_digits = 1`)
}

/** Who and where, without the password. */
function placeOf(url: string, settings: pg.PoolConfig): string {
  if (hidesPassword(url)) throw unreadableUrl()
  try {
    const { user, host, port, database } = new pg.Client(settings)
    return `${user}@${host}:${port}/${database}`
  } catch (error) {
    throw unreadableUrl(error)
  }
}

/** An unescaped `/`, `?` or `#` in a password makes its beginning the port and its end the database's name. */
function hidesPassword(url: string): boolean {
  const afterScheme = url.slice(url.indexOf('//') + 2)
  const authorityEnd = afterScheme.search(/[/?#]/)
  if (authorityEnd < 0) return false
  const [path = '', ...query] = afterScheme.slice(authorityEnd).split('?')
  const isStray = (part: string): boolean => part.includes('@') && !/^\w+=/.test(part)
  return path.includes('@') || query.join('?').split('&').some(isStray)
}

function explaining(pool: pg.Pool, place: string): PostgresPool {
  const nameOf = statementNames()
  const clients = new WeakMap<pg.PoolClient, pg.PoolClient>()
  return {
    connect: async () => {
      try {
        const client = await pool.connect()
        const prepared =
          clients.get(client) ?? preparing(client, { nameOf, explain: (error) => explained(error, place) })
        clients.set(client, prepared)
        return prepared
      } catch (error) {
        throw postgresFailure(error, place)
      }
    },
    end: () => pool.end(),
    options: pool.options,
    Client: pg.Client,
  }
}
