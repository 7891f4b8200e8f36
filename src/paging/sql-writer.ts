import type { KeyValue } from './key-value.ts'
import type { SortKey } from './sort.ts'

export type Dialect = 'sqlite' | 'postgres'

/** SQL text with its values; placeholders are `$1`, `$2`, … on Postgres and plain `?` on SQLite. */
export interface Statement {
  readonly sql: string
  readonly params: readonly unknown[]
}

/** Collects values in the order in which their placeholders are written. */
export interface SqlWriter {
  /** The source's text once more; on SQLite its values are bound again, because `?` cannot be shared. */
  readonly source: () => string
  readonly value: (key: SortKey, value: KeyValue) => string
  readonly params: () => readonly unknown[]
}

export function sqlWriter(source: Statement, dialect: Dialect): SqlWriter {
  const params: unknown[] = dialect === 'postgres' ? [...source.params] : []
  return {
    source: () => {
      if (dialect === 'sqlite') params.push(...source.params)
      return source.sql
    },
    value: (key, value) => {
      params.push(dialect === 'sqlite' ? sqliteValue(value) : value)
      return dialect === 'sqlite' ? '?' : `$${params.length}${key.cast === undefined ? '' : `::${key.cast}`}`
    },
    params: () => params,
  }
}

export function columnName(key: SortKey): string {
  return `"${key.column.replaceAll('"', '""')}"`
}

function sqliteValue(value: KeyValue): KeyValue {
  return typeof value === 'boolean' ? Number(value) : value
}
