import { ClientError } from './client-error.ts'

/** Looks at what came over the wire before it is trusted: gives it back as it is, with its type, or throws. */
export type Reader<T> = (value: unknown, path: string) => T

/** One reader for each field; a field that may be absent has an `optional` one. */
export type FieldReaders<T> = { readonly [Name in keyof T]-?: Reader<T[Name]> }

export type JsonObject = Readonly<Record<string, unknown>>

export const text: Reader<string> = (value, path) => {
  if (typeof value !== 'string') throw unexpected(path, 'a string')
  return value
}

export const number: Reader<number> = (value, path) => {
  if (typeof value !== 'number') throw unexpected(path, 'a number')
  return value
}

export const flag: Reader<boolean> = (value, path) => {
  if (typeof value !== 'boolean') throw unexpected(path, 'true or false')
  return value
}

/** An object of which nothing else is known. */
export const anyObject: Reader<JsonObject> = (value, path) => {
  if (!isJsonObject(value)) throw unexpected(path, 'an object')
  return value
}

export function oneOf<const Word extends string>(words: readonly Word[]): Reader<Word> {
  return (value, path) => {
    const found = words.find((word) => word === value)
    if (found === undefined) throw unexpected(path, `one of ${words.join(', ')}`)
    return found
  }
}

/** Null counts as absent: protocol-buffer JSON allows it. */
export function optional<T>(read: Reader<T>): Reader<T | undefined> {
  return (value, path) => (value === undefined || value === null ? undefined : read(value, path))
}

export function orNull<T>(read: Reader<T>): Reader<T | null> {
  return (value, path) => (value === null ? null : read(value, path))
}

export function listOf<T>(read: Reader<T>): Reader<readonly T[]> {
  return (value, path) => {
    if (!Array.isArray(value)) throw unexpected(path, 'an array')
    return value.map((item, index) => read(item, `${path}[${index}]`))
  }
}

/** Fields that no reader is for are kept. */
export function objectOf<T extends object>(fields: FieldReaders<T>): Reader<T> {
  const readers = Object.entries<Reader<unknown>>(fields)
  return (value, path) => {
    const isWhole = (given: JsonObject): given is JsonObject & T => {
      for (const [name, read] of readers) read(given[name], path === '' ? name : `${path}.${name}`)
      return true
    }
    const given = anyObject(value, path)
    if (!isWhole(given)) throw unexpected(path, 'an object')
    return given
  }
}

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function unexpected(path: string, wanted: string): ClientError {
  const what = path === '' ? 'the body' : `"${path}"`
  return new ClientError('unexpected_body', `${what} of the answer must be ${wanted}`)
}
