import type { FieldViolation } from './wire-failure.ts'

/** How far the reading of one body has come: where it is, and all that was wrong on the way. */
export interface Reading {
  /** Names in snake_case and positions, as violations show them. */
  readonly path: (string | number)[]
  readonly violations: FieldViolation[]
}

/** Levels of objects and lists in one body, as in protobuf's own JSON parser. */
export const deepest = 100

export function startReading(): Reading {
  return { path: [], violations: [] }
}

/** A name that cannot stand in the message at the present place. */
export function unknownName(reading: Reading, name: string, why = 'Cannot find field.'): void {
  const at = reading.path.length === 0 ? '' : ` at '${pathText(reading.path)}'`
  note(reading, `Invalid JSON payload received. Unknown name ${excerpt(name)}${at}: ${why}`)
}

/** The value at the present place is of another kind; `shown` is the value, or what is wrong with it. */
export function invalidValue(reading: Reading, type: string, shown: string): void {
  note(reading, `Invalid value at '${pathText(reading.path)}' (${type}), ${shown}`)
}

export function tooDeep(reading: Reading): void {
  const key = reading.path.findLast((step) => typeof step === 'string') ?? ''
  note(
    reading,
    `Invalid JSON payload received. Message too deep. Max recursion depth reached for key '${key}'`,
  )
}

/** A value as JSON, cut where an error message would become a copy of the request. */
export function excerpt(value: unknown): string {
  if (typeof value === 'string')
    return JSON.stringify(value.length > longestExcerpt ? `${value.slice(0, longestExcerpt)}…` : value)
  // Never as text: what JSON calls `toString` would be called.
  if (typeof value === 'object' && value !== null) return Array.isArray(value) ? '[…]' : '{…}'
  return String(value)
}

const longestExcerpt = 256

function pathText(path: readonly (string | number)[]): string {
  let text = ''
  for (const step of path)
    if (typeof step === 'number') text += `[${step}]`
    else text += text === '' ? step : `.${step}`
  return text
}

/** One answer need not list the mistakes of a body that is wrong everywhere. */
const mostViolations = 100

function note({ path, violations }: Reading, description: string): void {
  if (violations.length >= mostViolations) return
  violations.push(path.length === 0 ? { description } : { field: pathText(path), description })
}
