import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe } from 'node:test'
import pg from 'pg'
import { createLog } from '../../src/log/log.ts'
import { microsecondClock } from '../../src/store/clock.ts'
import { connect } from '../../src/store/connect.ts'
import { type Migration, migrate } from '../../src/store/migrate.ts'
import { migrations as productMigrations } from '../../src/store/migrations.ts'
import type { Store } from '../../src/store/store.ts'
import { watchDatabase, watchFolder } from '../records/secret-search-places.ts'

export type DisposableStore<Schema> = Store<Schema> & AsyncDisposable

/** A database that nobody else uses and that is gone when it is disposed of. */
export interface FreshDatabase extends AsyncDisposable {
  readonly url: string
}

export interface Engine {
  readonly dialect: Store['dialect']
  readonly create: () => Promise<FreshDatabase>
  /** One that already has all tables of Postern, where what is tested is not how they come into being. */
  readonly createMigrated: () => Promise<FreshDatabase>
  /** A store on a fresh database, with these migrations applied; both are gone when the store is disposed of. */
  readonly open: <Schema>(migrations?: readonly Migration[]) => Promise<DisposableStore<Schema>>
}

/** `forEachEngine((engine) => { test('…', async () => { await using store = await engine.open<Tables>(tables) … }) })` */
export function forEachEngine(suite: (engine: Engine) => void): void {
  for (const engine of [sqlite, postgres]) describe(`on ${engine.dialect}`, () => suite(engine))
}

/** A store on a database that may have other users; disposing of the store closes it and keeps the database. */
export async function openDatabase<Schema>(
  url: string,
  migrations: readonly Migration[] = [],
): Promise<DisposableStore<Schema>> {
  const log = createLog({ level: 'silent' })
  const store = await connect<Schema>(url, { log })
  await migrate(store, migrations, { log, now: microsecondClock() })
  return { ...store, [Symbol.asyncDispose]: store.close }
}

export const sqlite: Engine = engine('sqlite', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'postern-sqlite-'))
  return {
    url: `sqlite:${join(folder, 'store.db')}`,
    [Symbol.asyncDispose]: async () => {
      watchFolder(folder)
      await rm(folder, { recursive: true })
    },
  }
})

export const postgres: Engine = engine('postgres', async (isMigrated) => {
  const name = `postern_test_${randomBytes(6).toString('hex')}`
  await onServer(`create database ${name} ${templateClause(isMigrated)}`)
  const url = new URL(serverUrl())
  url.pathname = `/${name}`
  return {
    url: url.href,
    [Symbol.asyncDispose]: async () => {
      await watchDatabase(url.href)
      await onServer(`drop database ${name} with (force)`)
    },
  }
})

type Create = (isMigrated: boolean) => Promise<FreshDatabase>

function engine(dialect: Store['dialect'], create: Create): Engine {
  return {
    dialect,
    create: () => create(false),
    createMigrated: async () => {
      const database = await create(true)
      const store = await openDatabase(database.url, productMigrations)
      await store.close()
      return database
    },
    open: async <Schema>(migrations: readonly Migration[] = []) => {
      const database = await create(migrations === productMigrations)
      const store = await openDatabase<Schema>(database.url, migrations)
      const dispose = async (): Promise<void> => {
        await store.close()
        await database[Symbol.asyncDispose]()
      }
      return { ...store, [Symbol.asyncDispose]: dispose }
    },
  }
}

/** On the server that the tests bring, files are copied: that takes a tenth of the time that migrations take. */
function templateClause(isMigrated: boolean): string {
  const template = process.env.POSTERN_TEST_TEMPLATE
  if (template === undefined) return ''
  return `template ${isMigrated ? template : 'template1'} strategy file_copy`
}

async function onServer(statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: serverUrl() })
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}

function serverUrl(): string {
  const url = process.env.POSTERN_TEST_POSTGRES
  if (url !== undefined) return url
  throw new Error(
    'this suite needs Postgres: run npm test, or node --test --test-global-setup=test/global-setup.ts with the files you want',
  )
}
