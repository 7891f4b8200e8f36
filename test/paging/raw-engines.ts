import { randomBytes } from 'node:crypto'
import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import pg from 'pg'
import type { Dialect } from '../../src/paging/sql-writer.ts'

/** A bare driver, as somebody has it who uses only `postern/paging`. */
export interface RawEngine extends AsyncDisposable {
  readonly dialect: Dialect
  readonly all: (sql: string, params?: readonly unknown[]) => Promise<object[]>
}

export interface EngineUnderTest {
  readonly name: string
  readonly open: () => Promise<RawEngine>
  /** How many random cases a property tries; a server answers slower than a library. */
  readonly runs: number
}

/** `npm run fuzz` tries four times as many. */
const isFuzzing = process.env.POSTERN_FUZZ_SEED !== undefined

export const engines: readonly EngineUnderTest[] = [
  { name: 'SQLite', open: openSqlite, runs: isFuzzing ? 1000 : 250 },
  { name: 'Postgres', open: openPostgres, runs: isFuzzing ? 250 : 60 },
]

async function openSqlite(): Promise<RawEngine> {
  const db = new DatabaseSync(':memory:')
  return {
    dialect: 'sqlite',
    all: async (sql, params = []) => db.prepare(sql).all(...params.map(sqliteInput)),
    [Symbol.asyncDispose]: async () => db.close(),
  }
}

/** A schema of its own on the shared server, gone when disposed. */
async function openPostgres(): Promise<RawEngine> {
  const schema = `paging_${randomBytes(6).toString('hex')}`
  const client = await connect(schema)
  await client.query(`CREATE SCHEMA ${schema}`)
  return {
    dialect: 'postgres',
    all: async (sql, params = []) => (await client.query({ text: sql, values: [...params] })).rows,
    [Symbol.asyncDispose]: async () => {
      await client.query(`DROP SCHEMA ${schema} CASCADE`)
      await client.end()
    },
  }
}

export async function connect(schema: string): Promise<pg.Client> {
  const url = process.env.POSTERN_TEST_POSTGRES
  if (url === undefined)
    throw new Error('no Postgres: run `npm test`, or add --test-global-setup=test/global-setup.ts')
  const client = new pg.Client({ connectionString: url, options: `-c search_path=${schema}` })
  for (const type of [pg.types.builtins.TIMESTAMPTZ, pg.types.builtins.TIMESTAMP, pg.types.builtins.DATE])
    client.setTypeParser(type, (text: string) => text)
  await client.connect()
  return client
}

function sqliteInput(value: unknown): SQLInputValue {
  if (value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint')
    return value
  if (value instanceof Uint8Array) return value
  throw new TypeError(`SQLite cannot bind ${typeof value}`)
}
