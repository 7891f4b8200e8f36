import { Failure } from '../failure/failure.ts'
import type { Log } from '../log/log.ts'
import { connectPostgres } from './postgres-store.ts'
import { connectSqlite, type SqliteOptions } from './sqlite-store.ts'
import type { Store } from './store.ts'

export interface ConnectOptions extends SqliteOptions {
  readonly log: Pick<Log, 'info' | 'warn'>
}

/** Opens the database as it is; `migrate` brings it up to date. */
export async function connect<Schema>(url: string, options: ConnectOptions): Promise<Store<Schema>> {
  if (url.startsWith('sqlite:')) return connectSqlite(url, options)
  if (/^postgres(ql)?:\/\//.test(url)) return connectPostgres(url, options)
  throw new Failure(
    'misconfigured',
    'store is neither SQLite nor Postgres: write sqlite:./data/postern.db or postgres://user:password@host:5432/database',
    { field: 'store' },
  )
}
