import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'
import { createLog } from '../src/log/log.ts'
import { connect } from '../src/store/connect.ts'
import type { Store } from '../src/store/store.ts'
import { startPostgres } from '../test/postgres-server.ts'

interface ItemColumns<Id> {
  readonly id: Id
  readonly created_at: number
  readonly rank: number | null
  readonly title: string
}

/** The same million rows twice: with a text id, and with an integer id, which is SQLite's rowid. */
export interface BenchTables {
  readonly items: ItemColumns<string>
  readonly numbered: ItemColumns<number>
}

export interface BenchStore {
  readonly store: Store<BenchTables>
  readonly close: () => Promise<void>
}

export const rowCount = 1_000_000
/** This many rows in the middle share one timestamp, as after a bulk import. */
export const tiedCount = 100_000

export async function loadSqlite(): Promise<BenchStore> {
  const folder = await mkdtemp(join(tmpdir(), 'postern-bench-'))
  const file = join(folder, 'bench.db')
  const db = new DatabaseSync(file)
  db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF')
  for (const table of ['items', 'numbered'] as const) {
    const id = table === 'items' ? 'TEXT' : 'INTEGER'
    db.exec(
      `CREATE TABLE ${table} (id ${id} PRIMARY KEY, created_at INTEGER NOT NULL, rank INTEGER, title TEXT NOT NULL)`,
    )
    const insert = db.prepare(`INSERT INTO ${table} VALUES (?, ?, ?, ?)`)
    db.exec('BEGIN')
    for (const { id, created_at, rank, title } of benchRows(table)) insert.run(id, created_at, rank, title)
    db.exec('COMMIT')
    for (const sql of indexes(table)) db.exec(sql)
  }
  db.exec('ANALYZE')
  db.close()
  const store = await connect<BenchTables>(`sqlite:${file}`, { log: createLog({ level: 'error' }) })
  const close = async (): Promise<void> => {
    await store.close()
    await rm(folder, { recursive: true })
  }
  return { store, close }
}

export async function loadPostgres(): Promise<BenchStore> {
  const server = await startPostgres(['shared_buffers=1GB', 'autovacuum=off', 'max_wal_size=8GB'])
  const client = new pg.Client(server.url)
  await client.connect()
  for (const table of ['items', 'numbered'] as const) {
    const id = table === 'items' ? 'text COLLATE "C"' : 'int8'
    await client.query(
      `CREATE UNLOGGED TABLE ${table} (id ${id} PRIMARY KEY, created_at int8 NOT NULL, rank int8, title text NOT NULL)`,
    )
    await insertAll(client, table)
    for (const sql of indexes(table)) await client.query(sql)
  }
  await client.query('VACUUM ANALYZE')
  await client.end()
  const store = await connect<BenchTables>(server.url, { log: createLog({ level: 'error' }) })
  const close = async (): Promise<void> => {
    await store.close()
    await server.stop()
  }
  return { store, close }
}

async function insertAll(client: pg.Client, table: keyof BenchTables): Promise<void> {
  const type = table === 'items' ? 'text' : 'int8'
  const sql = `INSERT INTO ${table} SELECT * FROM unnest($1::${type}[], $2::int8[], $3::int8[], $4::text[])`
  let batch: ItemColumns<string | number>[] = []
  const flush = async (): Promise<void> => {
    const { id, time, rank, title } = {
      id: batch.map((row) => row.id),
      time: batch.map((row) => row.created_at),
      rank: batch.map((row) => row.rank),
      title: batch.map((row) => row.title),
    }
    await client.query(sql, [id, time, rank, title])
    batch = []
  }
  for (const row of benchRows(table)) if (batch.push(row) === 20_000) await flush()
  if (batch.length > 0) await flush()
}

function indexes(table: string): readonly string[] {
  return [
    `CREATE INDEX ${table}_by_time ON ${table} (created_at, id)`,
    `CREATE INDEX ${table}_by_rank ON ${table} (rank, id)`,
  ]
}

/** Random gaps, about ten rows to the millisecond; ids in no order; the same rows in every run. */
function* benchRows(table: keyof BenchTables): Generator<ItemColumns<string | number>> {
  const random = lehmer(20_261_115)
  let time = 1_700_000_000_000_000
  for (let index = 0; index < rowCount; index += 1) {
    const isTied = index > (rowCount - tiedCount) / 2 && index <= (rowCount + tiedCount) / 2
    if (!isTied) time += 1 + Math.floor(random() * 200)
    const rank = random() < 0.3 ? null : Math.floor(random() * 1000)
    const id = table === 'items' ? randomId(random) : index + 1
    yield { id, created_at: time, rank, title: `item number ${index}, as text` }
  }
}

function randomId(random: () => number): string {
  const word = (): string =>
    Math.floor(random() * 2 ** 31)
      .toString(16)
      .padStart(8, '0')
  return `${word()}-${word()}-${word()}`
}

function lehmer(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 48_271) % 2_147_483_647
    return state / 2_147_483_647
  }
}
