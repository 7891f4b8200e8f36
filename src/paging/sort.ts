import { Failure } from '../failure/failure.ts'

/** How a key is compared and carried; the names are those of Postgres where it has one. */
export type KeyType =
  | 'integer'
  | 'decimal'
  | 'float'
  | 'text'
  | 'uuid'
  | 'boolean'
  | 'timestamptz'
  | 'timestamp'
  | 'date'
  | 'bytes'

export interface SortKey<Column extends string = string> {
  readonly column: Column
  readonly type: KeyType
  readonly direction: 'ascending' | 'descending'
  /** Present exactly when the column may be null. */
  readonly nulls?: 'first' | 'last'
  readonly unique?: true
  /** The Postgres type to compare as, where it is not the column's own. */
  readonly cast?: string
}

export type Sort<Column extends string = string> = readonly SortKey<Column>[]

/** Refuses an order in which two rows could stand at the same place: paging over it would lose or repeat rows. */
export function checkSort(name: string, sort: Sort): void {
  const last = sort.at(-1)
  if (last?.unique !== true || last.nulls !== undefined)
    throw new Failure(
      'misconfigured',
      `sort "${name}" must end in a key that is unique and never null, such as the id`,
    )
  if (new Set(sort.map((key) => key.column)).size < sort.length)
    throw new Failure('misconfigured', `sort "${name}" names a column twice`)
  for (const key of sort)
    if (key.cast !== undefined && !/^[a-z_][a-z0-9_]*(\.[a-z_][a-z0-9_]*)?$/.test(key.cast))
      throw new Failure('misconfigured', `sort "${name}": "${key.cast}" is not the name of a Postgres type`)
}

/** The same rows from the other end. */
export function reversed<Column extends string>(sort: Sort<Column>): Sort<Column> {
  return sort.map((key) => ({
    ...key,
    direction: key.direction === 'ascending' ? 'descending' : 'ascending',
    ...(key.nulls === undefined ? {} : { nulls: key.nulls === 'first' ? 'last' : 'first' }),
  }))
}

/** Two sorts with equal signatures read each other's positions; any change of meaning changes it. */
export function sortSignature(sort: Sort): readonly (readonly (string | null)[])[] {
  return sort.map((key) => [key.column, key.type, key.direction, key.nulls ?? null, key.cast ?? null])
}
