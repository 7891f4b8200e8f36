import type { KeyValue, Position } from './key-value.ts'
import type { KeyType, SortKey } from './sort.ts'

/** A position as bytes: per key one byte for null or not, then the value in the form of its type. */
export function positionToBytes(position: Position, keys: readonly SortKey[]): Buffer {
  return Buffer.concat(keys.map((key, index) => valueToBytes(key.type, position[index] ?? null)))
}

/** Answers undefined for bytes that are not exactly one position of these keys. */
export function positionFromBytes(bytes: Buffer, keys: readonly SortKey[]): Position | undefined {
  const position: KeyValue[] = []
  let rest = bytes
  for (const key of keys) {
    const marker = rest[0]
    if (marker === absent && key.nulls !== undefined) {
      position.push(null)
      rest = rest.subarray(1)
      continue
    }
    const size = marker === present ? sizeOf(key.type, rest) : undefined
    if (size === undefined || rest.length < size.start + size.length) return undefined
    position.push(forms[key.type].read(rest.subarray(size.start, size.start + size.length)))
    rest = rest.subarray(size.start + size.length)
  }
  return rest.length === 0 ? position : undefined
}

const absent = 0
const present = 1

interface Form {
  /** Bytes of every value; undefined where each value brings its own length. */
  readonly fixed?: number
  readonly write: (value: KeyValue) => Buffer
  readonly read: (bytes: Buffer) => KeyValue
}

const utf8: Form = {
  write: (value) => Buffer.from(String(value), 'utf8'),
  read: (bytes) => bytes.toString('utf8'),
}

const forms = {
  integer: { fixed: 8, write: writeInteger, read: readInteger },
  float: { fixed: 8, write: writeFloat, read: (bytes) => bytes.readDoubleBE() },
  boolean: { fixed: 1, write: (value) => Buffer.of(value === true ? 1 : 0), read: (bytes) => bytes[0] === 1 },
  uuid: {
    fixed: 16,
    write: (value) => Buffer.from(String(value).replaceAll('-', ''), 'hex'),
    read: (bytes) => bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-'),
  },
  bytes: {
    write: (value) => (value instanceof Uint8Array ? Buffer.from(value) : Buffer.alloc(0)),
    read: (bytes) => Uint8Array.from(bytes),
  },
  decimal: utf8,
  text: utf8,
  timestamptz: utf8,
  timestamp: utf8,
  date: utf8,
} satisfies Record<KeyType, Form>

function valueToBytes(type: KeyType, value: KeyValue): Buffer {
  if (value === null) return Buffer.of(absent)
  const form: Form = forms[type]
  const bytes = form.write(value)
  if (form.fixed !== undefined) return Buffer.concat([Buffer.of(present), bytes])
  return Buffer.concat([Buffer.of(present, bytes.length >> 8, bytes.length & 0xff), bytes])
}

function sizeOf(type: KeyType, rest: Buffer): { start: number; length: number } | undefined {
  const form: Form = forms[type]
  if (form.fixed !== undefined) return { start: 1, length: form.fixed }
  return rest.length < 3 ? undefined : { start: 3, length: rest.readUInt16BE(1) }
}

function writeInteger(value: KeyValue): Buffer {
  const bytes = Buffer.allocUnsafe(8)
  bytes.writeBigInt64BE(typeof value === 'bigint' ? value : BigInt(Number(value)))
  return bytes
}

function readInteger(bytes: Buffer): number | bigint {
  const value = bytes.readBigInt64BE()
  const number = Number(value)
  return Number.isSafeInteger(number) ? number : value
}

function writeFloat(value: KeyValue): Buffer {
  const bytes = Buffer.allocUnsafe(8)
  bytes.writeDoubleBE(Number(value))
  return bytes
}
