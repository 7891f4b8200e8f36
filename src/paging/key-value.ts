import { Failure } from '../failure/failure.ts'
import type { KeyType, SortKey } from './sort.ts'

/** A sort key's value as the database gave it, exact to the last digit. */
export type KeyValue = null | string | number | bigint | boolean | Uint8Array

/** The position of a row: its key values, in the order of the sort. */
export type Position = readonly KeyValue[]

export function positionOf(row: object, sort: readonly SortKey[]): Position {
  return sort.map((key) => exactValue(key, Reflect.get(row, key.column)))
}

/**
 * Throws on a value that would not survive the way through a token unchanged: a position that is off by a
 * microsecond loses or repeats rows, so this is loud.
 */
export function exactValue(key: SortKey, value: unknown): KeyValue {
  if (value === null && key.nulls !== undefined) return null
  const exact = readers[key.type](value)
  if (exact !== undefined) return exact
  throw new Failure('internal', `sort key "${key.column}" (${key.type}): ${describe(value)} is not exact`)
}

/** A null in a key declared without `nulls` hides its row from the next page, so it is loud where it is seen. */
export function refuseNulls(rows: readonly object[], sort: readonly SortKey[]): void {
  if (!areReadable(rows)) return
  for (const key of sort) {
    if (key.nulls !== undefined) continue
    const { column } = key
    for (const row of rows) {
      const value = row[column]
      if (value === null || value === undefined) exactValue(key, value)
    }
  }
}

/** Of every object any column may be asked for; said as a type, because `Reflect.get` costs ten times an index. */
function areReadable(rows: readonly object[]): rows is readonly Readonly<Record<string, unknown>>[] {
  return rows.length > 0
}

type Reader = (value: unknown) => Exclude<KeyValue, null> | undefined

const readers = {
  integer: readInteger,
  decimal: matching(/^-?\d+(\.\d+)?$/),
  float: (value) => (typeof value === 'number' && Number.isFinite(value) ? value + 0 : undefined),
  text: (value) => (typeof value === 'string' && value.isWellFormed() ? value : undefined),
  uuid: matching(/^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/),
  boolean: readBoolean,
  timestamptz: matching(
    /^([+-]?\d{4,}-\d\d-\d\d[ T]\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d(:?\d\d){0,2})( BC)?|-?infinity)$/,
  ),
  timestamp: matching(/^([+-]?\d{4,}-\d\d-\d\d[ T]\d\d:\d\d:\d\d(\.\d+)?( BC)?|-?infinity)$/),
  date: matching(/^([+-]?\d{4,}-\d\d-\d\d( BC)?|-?infinity)$/),
  bytes: (value) => (value instanceof Uint8Array ? value : undefined),
} satisfies Record<KeyType, Reader>

function readInteger(value: unknown): number | bigint | undefined {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? value + 0 : undefined
  if (typeof value === 'string') return /^-?\d{1,19}$/.test(value) ? readInteger(BigInt(value)) : undefined
  if (typeof value !== 'bigint' || BigInt.asIntN(64, value) !== value) return undefined
  const number = Number(value)
  return Number.isSafeInteger(number) ? number : value
}

/** SQLite has no booleans and answers 0 or 1, as bigints where these are asked for. */
function readBoolean(value: unknown): boolean | undefined {
  if (typeof value === 'boolean') return value
  return value === 0 || value === 1 || value === 0n || value === 1n ? Boolean(value) : undefined
}

function matching(pattern: RegExp): (value: unknown) => string | undefined {
  return (value) => (typeof value === 'string' && pattern.test(value) ? value : undefined)
}

function describe(value: unknown): string {
  if (value instanceof Date)
    return 'a Date keeps milliseconds only, so have the driver return the text of the database; it'
  if (value === null) return 'null in a key declared without `nulls`'
  if (value === undefined) return 'a missing column'
  return typeof value === 'number' ? `the number ${value}` : `this ${typeof value}`
}
