import { CompiledQuery, type Kysely } from 'kysely'
import type { Store, StoreSchema } from '../store/store.ts'

type Value = string | number | null

type PutColumns<Name extends string> = readonly (readonly [name: Name, type: 'text' | 'bigint'])[]

export interface Put<Name extends string> {
  readonly table: string
  readonly columns: PutColumns<Name>
  /** What to do with a row that is there already. */
  readonly whenThere?: string
}

export type PutRows<Name extends string> = (
  db: Kysely<StoreSchema>,
  dialect: Store['dialect'],
  rows: readonly Readonly<Record<Name, Value>>[],
) => Promise<void>

/** Inserts many rows with few statements, whose texts are few as well, so that each is prepared once. */
export function putting<Name extends string>({ table, columns, whenThere = '' }: Put<Name>): PutRows<Name> {
  const head = `insert into ${table} (${columns.map(([name]) => name).join(', ')})`
  const arrays = columns.map(([, type], index) => `$${index + 1}::${type}[]`).join(', ')
  const postgres = `${head} select * from unnest(${arrays}) ${whenThere}`
  const row = `(${columns.map(() => '?').join(', ')})`
  const sqlite = chunkSizes.map((size) => ({
    size,
    text: `${head} values ${Array.from({ length: size }, () => row).join(', ')} ${whenThere}`,
  }))
  return async (db, dialect, rows) => {
    if (rows.length === 0) return
    if (dialect === 'postgres') {
      const values = columns.map(([name]) => rows.map((given) => given[name]))
      await db.executeQuery(CompiledQuery.raw(postgres, values))
      return
    }
    let begin = 0
    for (const { size, text } of sqlite)
      for (; rows.length - begin >= size; begin += size) {
        const values: Value[] = []
        for (let place = begin; place < begin + size; place += 1)
          for (const [name] of columns) values.push(rows[place]?.[name] ?? null)
        await db.executeQuery(CompiledQuery.raw(text, values))
      }
  }
}

/** SQLite: rows that go through Kysely together; chunks of 16 and of 64 cost the same. */
const chunkSizes = [32, 8, 1]
