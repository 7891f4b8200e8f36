import { refusal } from './machine-answer.ts'

/** The fields of a request to a token endpoint, each at most once and none empty. */
export type Fields = ReadonlyMap<string, string>

/** RFC 6749, section 3.2: a field must not be given twice, and an empty one counts as left out. */
export function readFields(given: Iterable<readonly [name: string, value: string]>): Fields {
  const seen = new Set<string>()
  const fields = new Map<string, string>()
  for (const [name, value] of given) {
    if (seen.has(name)) throw refusal('invalid_request', `the field ${shortened(name)} must be given once`)
    seen.add(name)
    if (value !== '') fields.set(name, value)
  }
  return fields
}

export function requireField(fields: Fields, name: string): string {
  const value = fields.get(name)
  if (value === undefined) throw refusal('invalid_request', `the field ${name} is missing`)
  return value
}

/** A signed token in a field; Google's bound, and ours. */
export function requireToken(fields: Fields, name: string): string {
  const token = requireField(fields, name)
  if (token.length <= longestToken) return token
  throw refusal('invalid_request', `${name} must not be longer than ${longestToken} bytes`)
}

/** What a caller sent, short enough to be said back. */
export function shortened(text: string): string {
  return text.length <= 100 ? text : `${text.slice(0, 100)}...`
}

const longestToken = 12_288
