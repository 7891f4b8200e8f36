import type { DatabaseSync } from 'node:sqlite'
import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  SqliteAdapter,
  SqliteDriver,
  SqliteIntrospector,
  SqliteQueryCompiler,
  type TransactionSettings,
} from 'kysely'
import { kyselyDatabase } from './sqlite-database.ts'
import { runningFailure } from './sqlite-failure.ts'
import type { Patience } from './sqlite-locks.ts'

/** Kysely's SQLite dialect on `node:sqlite`, with transactions that lock at their beginning. */
export function sqliteDialect(database: DatabaseSync, patience: Patience): Dialect {
  return {
    createDriver: () => new LockingDriver(database, patience),
    createQueryCompiler: () => new SqliteQueryCompiler(),
    createAdapter: () => new SqliteAdapter(),
    createIntrospector: (db) => new SqliteIntrospector(db),
  }
}

class LockingDriver extends SqliteDriver {
  readonly #database: DatabaseSync
  readonly #patience: Patience
  #connection: DatabaseConnection | undefined

  constructor(database: DatabaseSync, patience: Patience) {
    super({ database: kyselyDatabase(database) })
    this.#database = database
    this.#patience = patience
  }

  override async acquireConnection(): Promise<DatabaseConnection> {
    this.#connection ??= patientConnection(await super.acquireConnection(), this.#patience)
    return this.#connection
  }

  /** A plain BEGIN takes the write lock at the first write, where SQLite must refuse if another wrote since the first read. */
  override async beginTransaction(
    connection: DatabaseConnection,
    settings?: TransactionSettings,
  ): Promise<void> {
    const readOnly = settings?.accessMode === 'read only'
    await connection.executeQuery(CompiledQuery.raw(readOnly ? 'begin deferred' : 'begin immediate'))
    this.#database.exec(`pragma query_only = ${readOnly ? 'on' : 'off'}`)
  }

  override async commitTransaction(connection: DatabaseConnection): Promise<void> {
    await super.commitTransaction(connection)
    this.#database.exec('pragma query_only = off')
  }

  /** SQLite has already rolled back by itself after some errors, such as a full disk. */
  override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    this.#database.exec('pragma query_only = off')
    if (this.#database.isTransaction) await super.rollbackTransaction(connection)
  }
}

function patientConnection(connection: DatabaseConnection, patience: Patience): DatabaseConnection {
  return {
    executeQuery: async (query, options) => {
      try {
        return await patience(() => connection.executeQuery(query, options))
      } catch (error) {
        throw runningFailure(error)
      }
    },
    streamQuery: (query, chunkSize, options) => connection.streamQuery(query, chunkSize, options),
  }
}
