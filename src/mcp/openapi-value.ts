import { Failure } from '../failure/failure.ts'
import { isObject } from './source-json.ts'

/** `simple`: for the path and for headers. The items are made safe by `encode`; the commas between them are the style's. */
export function simpleValue(value: unknown, explode: boolean, encode: (text: string) => string): string {
  if (Array.isArray(value)) return value.map((item) => encode(scalarText(item))).join(',')
  if (!isObject(value)) return encode(scalarText(value))
  return entriesOf(value)
    .map(([key, inner]) => `${encode(key)}${explode ? '=' : ','}${encode(inner)}`)
    .join(',')
}

/** `form`: for the query and for cookies, as pairs that are already encoded. */
export function formPairs(name: string, value: unknown, explode: boolean): readonly string[] {
  const pair = (key: string, text: string): string => `${encodeStrictly(key)}=${text}`
  if (explode && Array.isArray(value))
    return value.map((item) => pair(name, encodeStrictly(scalarText(item))))
  if (explode && isObject(value))
    return entriesOf(value).map(([key, inner]) => pair(key, encodeStrictly(inner)))
  return [pair(name, simpleValue(value, false, encodeStrictly))]
}

/** Leaves only the unreserved characters of RFC 3986 as they are. */
export function encodeStrictly(text: string): string {
  if (!text.isWellFormed()) throw refused('must be well-formed Unicode text')
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}

/**
 * A value in the path is one segment, or a part of one. Servers and proxies differ in when they decode, so what could
 * become a separator or a dot segment for one of them is refused, not encoded.
 */
export function encodeSegment(text: string): string {
  if (text === '') throw refused('must not be empty, as it is part of the path')
  if (/[/\\\p{Cc}]/u.test(text))
    throw refused('must not contain /, \\ or control characters, as it is part of the path')
  if (/%[0-9a-f]{2}/iu.test(text))
    throw refused('must be the plain value, without %-encoding, as it is part of the path')
  return encodeStrictly(text)
}

/** Header fields are sent as they are: only visible ASCII and inner spaces fit (RFC 9110, section 5.5). */
export function headerText(text: string): string {
  if (!/^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(text))
    throw refused('must be visible ASCII characters on one line, as it is sent in a header')
  return text
}

function entriesOf(value: object): [string, string][] {
  return Object.entries(value).map(([key, inner]) => [key, scalarText(inner)])
}

function scalarText(value: unknown): string {
  if (typeof value === 'string') return value
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  if (value === null) return 'null'
  throw refused('must not hold lists or objects inside of a list or an object')
}

function refused(complaint: string): Failure {
  return new Failure('invalid-request', complaint, { reason: 'parameter_value' })
}
