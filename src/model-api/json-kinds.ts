import { deepest, excerpt, invalidValue, type Reading, tooDeep } from './json-reading.ts'

/** What a field may hold, in the JSON form of protobuf. */
export interface Kind<T> {
  /** The name by which violations call it. */
  readonly type: string
  /** Whether a JSON list can be its value. */
  readonly takesList: boolean
  /** The value in its one canonical form, or undefined when it is of another kind, which `reading` then knows. */
  readonly read: (value: unknown, reading: Reading) => T | undefined
}

export const text: Kind<string> = scalar('TYPE_STRING', (value) =>
  typeof value === 'string' ? value : undefined,
)

export const float: Kind<number> = scalar('TYPE_FLOAT', asNumber)

export const int32: Kind<number> = scalar('TYPE_INT32', (value) => {
  const number = asNumber(value)
  return number !== undefined && Number.isInteger(number) && number >= -(2 ** 31) && number < 2 ** 31
    ? number
    : undefined
})

/** Its canonical form is text, which no reader of ours needs. */
export const int64: Kind<number> = scalar('TYPE_INT64', (value) => {
  const number = asNumber(value)
  return Number.isSafeInteger(number) ? number : undefined
})

export const flag: Kind<boolean> = scalar('TYPE_BOOL', (value) => {
  if (value === 'true') return true
  if (value === 'false') return false
  return typeof value === 'boolean' ? value : undefined
})

/** Base64 in either alphabet, padded or not; read as standard base64 with its padding. */
export const bytes: Kind<string> = {
  type: 'TYPE_BYTES',
  takesList: false,
  read: (value, reading) => {
    if (typeof value !== 'string') return refuse(value, reading, 'TYPE_BYTES')
    const canonical = standardBase64(value)
    if (canonical === undefined)
      invalidValue(reading, 'TYPE_BYTES', `Base64 decoding failed for ${excerpt(value)}`)
    return canonical
  },
}

/** A `google.protobuf.Struct`: any JSON object, taken as it is. */
export const struct: Kind<Readonly<Record<string, unknown>>> = {
  type: 'type.googleapis.com/google.protobuf.Struct',
  takesList: false,
  read: (value, reading) => {
    if (!isObject(value)) return refuse(value, reading, struct.type)
    return isShallow(value, reading) ? value : undefined
  },
}

/** A `google.protobuf.Value`: any JSON, taken as it is. */
export const anything: Kind<unknown> = {
  type: 'type.googleapis.com/google.protobuf.Value',
  takesList: true,
  read: (value, reading) => (isShallow(value, reading) ? value : undefined),
}

/** Names in any case; `hasNumbers` says that the order of the names is that of their numbers in the protos. */
export function choice(name: string, names: readonly string[], hasNumbers = false): Kind<string> {
  const known = new Set(names)
  return scalar(messageType(name), (value) => {
    if (typeof value === 'number') return hasNumbers ? names[value] : undefined
    if (typeof value !== 'string') return undefined
    if (known.has(value)) return value
    const upper = value.toUpperCase()
    return known.has(upper) ? upper : undefined
  })
}

export function messageType(name: string): string {
  return `type.googleapis.com/google.ai.generativelanguage.v1beta.${name}`
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function scalar<T>(type: string, convert: (value: unknown) => T | undefined): Kind<T> {
  return {
    type,
    takesList: false,
    read: (value, reading) => {
      const converted = convert(value)
      return converted === undefined ? refuse(value, reading, type) : converted
    },
  }
}

function refuse(value: unknown, reading: Reading, type: string): undefined {
  invalidValue(reading, type, unfit(value))
  return undefined
}

function unfit(value: unknown): string {
  if (Array.isArray(value)) return 'Starting a list on a scalar field'
  return isObject(value) ? 'Starting an object on a scalar field' : excerpt(value)
}

/** Numbers may come as text; infinity and NaN have no meaning in any field of ours. */
function asNumber(value: unknown): number | undefined {
  const number = typeof value === 'string' && decimal.test(value) ? Number(value) : value
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined
}

const decimal = /^-?\d{1,40}(?:\.\d{1,40})?(?:[eE][-+]?\d{1,3})?$/

function standardBase64(value: string): string | undefined {
  if (!base64Text.test(value)) return undefined
  const end = value.endsWith('==') ? value.length - 2 : value.endsWith('=') ? value.length - 1 : value.length
  if (end % 4 === 1 || (end !== value.length && value.length % 4 !== 0)) return undefined
  const padded = value.length % 4 === 0 ? value : value.padEnd(value.length + 4 - (value.length % 4), '=')
  return urlSafe.test(padded) ? padded.replaceAll('-', '+').replaceAll('_', '/') : padded
}

const base64Text = /^[A-Za-z0-9+/_-]*={0,2}$/
const urlSafe = /[-_]/

function isShallow(value: unknown, reading: Reading): boolean {
  if (staysAbove(value, deepest - reading.path.length)) return true
  tooDeep(reading)
  return false
}

function staysAbove(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return true
  if (levels <= 0) return false
  for (const held of Object.values(value)) if (!staysAbove(held, levels - 1)) return false
  return true
}
