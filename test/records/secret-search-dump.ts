import { closeSync, fstatSync, openSync, readdirSync, readSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'
import type { Haystack } from './secret-search.ts'

/** Every table of a database with all its columns as text, bytes in hex. */
export async function dumpDatabase(url: string, mostRows?: number): Promise<readonly Haystack[]> {
  return url.startsWith('sqlite:') ? dumpSqlite(url.slice('sqlite:'.length)) : dumpPostgres(url, mostRows)
}

/** Every file below a folder whose name fits, as it is on disk; of a very large one the two ends. */
export function readFiles(folder: string, fits: (name: string) => boolean): readonly Haystack[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && fits(entry.name))
    .flatMap(({ parentPath, name }) => {
      const path = join(parentPath, name)
      const bytes = readEnds(path)
      return bytes === undefined ? [] : [{ name: `the file ${path.slice(folder.length + 1)}`, bytes }]
    })
}

/** Undefined if it has gone since the folder was listed, as SQLite's journal does when the last program closes it. */
function readEnds(path: string): Uint8Array | undefined {
  const file = openIfThere(path)
  if (file === undefined) return undefined
  try {
    const { size } = fstatSync(file)
    const length = Math.min(size, largestEnd)
    const parts = [0, Math.max(length, size - largestEnd)].map((start) => {
      const bytes = Buffer.alloc(Math.min(length, size - start))
      return bytes.subarray(0, readSync(file, bytes, 0, bytes.length, start))
    })
    return Buffer.concat(parts)
  } finally {
    closeSync(file)
  }
}

function openIfThere(path: string): number | undefined {
  try {
    return openSync(path, 'r')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  }
}

const largestEnd = 16 * 2 ** 20

function dumpSqlite(path: string): readonly Haystack[] {
  const database = new DatabaseSync(path, { readOnly: true, readBigInts: true })
  try {
    const tables = database.prepare("select name from sqlite_schema where type = 'table'").all()
    return tables.map(({ name }) => {
      const rows = database.prepare(`select * from "${String(name)}"`).all()
      return table(String(name), rows.map(Object.values))
    })
  } finally {
    database.close()
  }
}

async function dumpPostgres(url: string, mostRows?: number): Promise<readonly Haystack[]> {
  // Nothing is parsed, so that nothing is lost.
  const types = { getTypeParser: () => String }
  const client = new pg.Client({ connectionString: url, types })
  await client.connect()
  try {
    const { rows: tables } = await client.query<{ name: string }>(tablesOfPostgres)
    const statements = tables.map(({ name }) => `select * from ${name} limit ${mostRows ?? 'all'}`)
    // All in one message: there are hundreds of databases in a run.
    const answers = [await client.query<unknown[]>({ text: statements.join(';'), rowMode: 'array' })].flat()
    return tables.map(({ name }, index) => table(name, answers[index]?.rows ?? []))
  } finally {
    await client.end()
  }
}

const tablesOfPostgres = `select format('%I.%I', schemaname, tablename) as name from pg_tables
  where schemaname not in ('pg_catalog', 'information_schema')
    and pg_relation_size(format('%I.%I', schemaname, tablename)::regclass) > 0`

function table(name: string, rows: readonly (readonly unknown[])[]): Haystack {
  const text = rows.map((row) => row.map(asText).join('\n')).join('\n')
  return { name: `the table ${name}`, bytes: Buffer.from(text) }
}

function asText(value: unknown): string {
  return value instanceof Uint8Array ? Buffer.from(value).toString('hex') : String(value)
}
