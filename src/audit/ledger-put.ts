import { CompiledQuery, type Kysely } from 'kysely'
import type { Store, StoreSchema } from '../store/store.ts'

type Value = string | number | null

type PutRow<Name extends string> = Readonly<Record<Name, Value>>

type PutColumns<Name extends string> = readonly (readonly [name: Name, type: 'text' | 'bigint'])[]

export interface Put<Name extends string> {
  readonly table: string
  readonly columns: PutColumns<Name>
  /** What to do with a row that is there already. */
  readonly whenThere?: string
}

/** Inserts many rows with few statements, whose texts are few as well, so that each is prepared once. */
export interface PutRows<Name extends string> {
  readonly run: (
    db: Kysely<StoreSchema>,
    dialect: Store['dialect'],
    rows: readonly PutRow<Name>[],
  ) => Promise<void>
  /** The same as a part of a larger statement for Postgres, whose parameters begin with this number. */
  readonly part: (firstParameter: number, condition?: string) => string
  /** The parameters of that part. */
  readonly values: (rows: readonly PutRow<Name>[]) => readonly (readonly Value[])[]
}

export function putting<Name extends string>({ table, columns, whenThere = '' }: Put<Name>): PutRows<Name> {
  const head = `insert into ${table} (${columns.map(([name]) => name).join(', ')})`
  const part: PutRows<Name>['part'] = (first, condition = 'true') => {
    const arrays = columns.map(([, type], index) => `$${first + index}::${type}[]`).join(', ')
    return `${head} select * from unnest(${arrays}) where ${condition} ${whenThere}`
  }
  const values: PutRows<Name>['values'] = (rows) => columns.map(([name]) => rows.map((given) => given[name]))
  const postgres = part(1)
  const row = `(${columns.map(() => '?').join(', ')})`
  const sqlite = chunkSizes.map((size) => ({
    size,
    text: `${head} values ${Array.from({ length: size }, () => row).join(', ')} ${whenThere}`,
  }))
  return {
    part,
    values,
    run: async (db, dialect, rows) => {
      if (rows.length === 0) return
      if (dialect === 'postgres') {
        await db.executeQuery(CompiledQuery.raw(postgres, [...values(rows)]))
        return
      }
      let begin = 0
      for (const { size, text } of sqlite)
        for (; rows.length - begin >= size; begin += size) {
          const bound: Value[] = []
          for (let place = begin; place < begin + size; place += 1)
            for (const [name] of columns) bound.push(rows[place]?.[name] ?? null)
          await db.executeQuery(CompiledQuery.raw(text, bound))
        }
    },
  }
}

/** SQLite: rows that go through Kysely together; chunks of 16 and of 64 cost the same. */
const chunkSizes = [32, 8, 1]
