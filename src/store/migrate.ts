import { type Kysely, sql, type Transaction } from 'kysely'
import { Failure } from '../failure/failure.ts'
import type { Log } from '../log/log.ts'
import type { Clock } from './clock.ts'
import { isLockFailure } from './sqlite-locks.ts'
import type { AppliedMigration, Store } from './store.ts'

export interface Migration {
  readonly name: string
  readonly up: <Schema>(db: Kysely<Schema>, dialect: Store['dialect']) => Promise<void>
}

export interface MigrateOptions {
  readonly log: Pick<Log, 'info'>
  readonly now: Clock
}

/** Brings the store up to the end of the list; any number of instances may do so at once. */
export async function migrate<Schema>(
  store: Store<Schema>,
  migrations: readonly Migration[],
  options: MigrateOptions,
): Promise<void> {
  try {
    while (!(await isUpToDate(store, migrations)))
      await applyNext(store, migrations, options).catch((error: unknown) => {
        if (!isLockFailure(error)) throw error
        options.log.info('waiting for another instance to finish its migrations')
      })
  } catch (error) {
    throw error instanceof Failure ? error : bookkeepingFailure(error)
  }
}

/** Needs neither the lock nor the right to create tables, so that a store migrated by another role opens. */
async function isUpToDate<Schema>(store: Store<Schema>, migrations: readonly Migration[]): Promise<boolean> {
  const { rows } = await tableQueries[store.dialect].execute(store.db)
  return rows.length > 0 && nextMigration(await appliedMigrations(store.db), migrations) === undefined
}

const tableQueries = {
  sqlite: sql`select 1 from sqlite_schema where name = 'postern_migrations'`,
  postgres: sql`select 1 where to_regclass('postern_migrations') is not null`,
} as const satisfies Record<Store['dialect'], unknown>

/** One migration and its row, in one transaction that begins with the lock: what others applied meanwhile is seen. */
async function applyNext<Schema>(
  store: Store<Schema>,
  migrations: readonly Migration[],
  { log, now }: MigrateOptions,
): Promise<void> {
  const migrated = await store.db
    .transaction()
    .setIsolationLevel('read committed')
    .execute(async (transaction) => {
      if (store.dialect === 'postgres') await lockPostgres(transaction, log)
      await createTable(transaction)
      const applied = await appliedMigrations(transaction)
      const migration = nextMigration(applied, migrations)
      if (migration === undefined) return undefined
      await run(migration, transaction, store.dialect)
      const position = applied.length + 1
      await sql`insert into postern_migrations (position, name, applied_at)
        values (${position}, ${migration.name}, ${now()})`.execute(transaction)
      return migration.name
    })
  if (migrated !== undefined) log.info({ migration: migrated }, 'migration applied')
}

/** SQLite needs none of this: its transactions lock the file at their beginning. */
async function lockPostgres<Schema>(transaction: Transaction<Schema>, log: Pick<Log, 'info'>): Promise<void> {
  // A migration, or the wait for one, may take longer than any query of a request.
  await sql`set local statement_timeout = 0`.execute(transaction)
  await sql`set local idle_in_transaction_session_timeout = 0`.execute(transaction)
  const key = sql`hashtextextended('postern_migrations', 0)`
  const { rows } = await sql<{ locked: boolean }>`select pg_try_advisory_xact_lock(${key}) as locked`.execute(
    transaction,
  )
  if (rows[0]?.locked === true) return
  log.info('waiting for another instance to finish its migrations')
  await sql`select pg_advisory_xact_lock(${key})`.execute(transaction)
}

async function createTable<Schema>(transaction: Transaction<Schema>): Promise<void> {
  await transaction.schema
    .createTable('postern_migrations')
    .ifNotExists()
    .addColumn('position', 'integer', (column) => column.primaryKey())
    .addColumn('name', 'text', (column) => column.notNull().unique())
    .addColumn('applied_at', 'bigint', (column) => column.notNull())
    .execute()
}

async function appliedMigrations<Schema>(db: Kysely<Schema>): Promise<readonly AppliedMigration[]> {
  const query = sql<AppliedMigration>`select position, name, applied_at from postern_migrations order by position`
  return (await query.execute(db)).rows
}

function nextMigration(
  applied: readonly AppliedMigration[],
  migrations: readonly Migration[],
): Migration | undefined {
  for (const { position, name } of applied) {
    const expected = migrations[position - 1]?.name
    if (expected === name) continue
    throw new Failure(
      'misconfigured',
      expected === undefined
        ? `the store was migrated by a newer Postern (it has "${name}"): run that version, or name another store`
        : `the store has the migration "${name}" where this Postern has "${expected}": it was made by another program or a version that was never released`,
      { field: 'store' },
    )
  }
  return migrations[applied.length]
}

async function run<Schema>(
  migration: Migration,
  transaction: Transaction<Schema>,
  dialect: Store['dialect'],
): Promise<void> {
  try {
    await migration.up(transaction, dialect)
  } catch (cause) {
    const message = `the migration "${migration.name}" failed (${textOf(cause)}) and left nothing behind: the store is as it was before it`
    throw new Failure('internal', message, { cause })
  }
}

/** What goes wrong around a migration: the lock, or the table that remembers them. */
function bookkeepingFailure(cause: unknown): Failure {
  const problem = `the store could not be brought up to date (${textOf(cause)})`
  if (cause instanceof Error && 'code' in cause && cause.code === '42501') {
    const message = `${problem}: let this user create tables there, or start once as a user who may`
    return new Failure('misconfigured', message, { cause, field: 'store' })
  }
  return new Failure('unavailable', problem, { cause, field: 'store' })
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
