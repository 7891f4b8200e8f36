import { type TEnum, type TInteger, type TNull, type TSchema, type TString, type TUnion, Type } from 'typebox'
import { Failure } from '../failure/failure.ts'
import { readTimestamp } from '../store/timestamp.ts'

/** A time in an answer. */
export function time(description: string): TString {
  return Type.String({ format: 'date-time', description })
}

export function orNull<Schema extends TSchema>(schema: Schema): TUnion<[Schema, TNull]> {
  return Type.Union([schema, Type.Null()])
}

export function count(description: string): TInteger {
  return Type.Integer({ minimum: 0, description })
}

export const surface: TEnum<['tools', 'models', 'api']> = Type.Enum(['tools', 'models', 'api'])

/** The id of a row, as text: a UUID of version 7. */
export const rowIdPattern = '^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$'

/** A time that a caller gave under this name, in microseconds. */
export function givenTime(name: string, text: string): number {
  const time = readTimestamp(text)
  if (time !== undefined) return time
  throw new Failure(
    'invalid-request',
    `${name} must be a time of RFC 3339 before 2255, such as 2026-11-15T10:00:00Z; in a query write + as %2B`,
    { field: name, recovery: 'fix_request' },
  )
}
