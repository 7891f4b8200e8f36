import type { KeyValue, Position } from './key-value.ts'
import type { KeyType, SortKey } from './sort.ts'

/** A position as bytes: per key one byte for null or not, then the value in the form of its type. */
export function positionToBytes(position: Position, keys: readonly SortKey[]): Buffer {
  let length = 0
  for (const [index, key] of keys.entries()) length += sizeOf(key.type, position[index] ?? null)
  const bytes = Buffer.alloc(length)
  let at = 0
  for (const [index, key] of keys.entries()) at = write(bytes, at, { key, value: position[index] ?? null })
  return bytes
}

/** Answers undefined for bytes that are not exactly one position of these keys. */
export function positionFromBytes(bytes: Buffer, keys: readonly SortKey[]): Position | undefined {
  const position: KeyValue[] = []
  let at = 0
  for (const key of keys) {
    const marker = bytes[at]
    if (marker === absent && key.nulls !== undefined) {
      position.push(null)
      at += 1
      continue
    }
    const place = marker === present ? placeOf(key.type, bytes, at) : undefined
    if (place === undefined || place.end > bytes.length) return undefined
    position.push(forms[key.type].read(bytes, place.start, place.end))
    at = place.end
  }
  return at === bytes.length ? position : undefined
}

const absent = 0
const present = 1

interface Form {
  /** Bytes of every value; undefined where each value brings its own length. */
  readonly fixed?: number
  readonly size: (value: KeyValue) => number
  readonly write: (bytes: Buffer, at: number, value: KeyValue) => void
  readonly read: (bytes: Buffer, start: number, end: number) => KeyValue
}

const utf8: Form = {
  size: (value) => Buffer.byteLength(String(value)),
  write: (bytes, at, value) => void bytes.write(String(value), at),
  read: (bytes, start, end) => bytes.toString('utf8', start, end),
}

const forms: Readonly<Record<KeyType, Form>> = {
  integer: { fixed: 8, size: () => 8, write: writeInteger, read: readInteger },
  float: {
    fixed: 8,
    size: () => 8,
    write: (bytes, at, value) => void bytes.writeDoubleBE(Number(value), at),
    read: (bytes, start) => bytes.readDoubleBE(start),
  },
  boolean: {
    fixed: 1,
    size: () => 1,
    write: (bytes, at, value) => void bytes.writeUInt8(value === true ? 1 : 0, at),
    read: (bytes, start) => bytes[start] === 1,
  },
  uuid: {
    fixed: 16,
    size: () => 16,
    write: (bytes, at, value) => void bytes.write(String(value).replaceAll('-', ''), at, 'hex'),
    read: (bytes, start, end) =>
      bytes.toString('hex', start, end).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-'),
  },
  bytes: {
    size: (value) => (value instanceof Uint8Array ? value.length : 0),
    write: (bytes, at, value) => void (value instanceof Uint8Array && bytes.set(value, at)),
    read: (bytes, start, end) => Uint8Array.from(bytes.subarray(start, end)),
  },
  decimal: utf8,
  text: utf8,
  timestamptz: utf8,
  timestamp: utf8,
  date: utf8,
}

/** Marker, length where values have one, and value. */
function sizeOf(type: KeyType, value: KeyValue): number {
  if (value === null) return 1
  const { fixed, size } = forms[type]
  return fixed === undefined ? 3 + size(value) : 1 + fixed
}

/** Answers where the next value begins. */
function write(
  bytes: Buffer,
  at: number,
  { key, value }: { readonly key: SortKey; readonly value: KeyValue },
): number {
  if (value === null) {
    bytes[at] = absent
    return at + 1
  }
  const form = forms[key.type]
  bytes[at] = present
  if (form.fixed !== undefined) {
    form.write(bytes, at + 1, value)
    return at + 1 + form.fixed
  }
  const length = form.size(value)
  bytes[at + 1] = length >> 8
  bytes[at + 2] = length & 0xff
  form.write(bytes, at + 3, value)
  return at + 3 + length
}

function placeOf(type: KeyType, bytes: Buffer, at: number): { start: number; end: number } | undefined {
  const { fixed } = forms[type]
  if (fixed !== undefined) return { start: at + 1, end: at + 1 + fixed }
  if (bytes.length < at + 3) return undefined
  const start = at + 3
  return { start, end: start + bytes.readUInt16BE(at + 1) }
}

const word = 2 ** 32

/** In two halves: a bigint for every number would cost ten times as much. */
function writeInteger(bytes: Buffer, at: number, value: KeyValue): void {
  if (typeof value === 'bigint') {
    bytes.writeBigInt64BE(value, at)
    return
  }
  const number = Number(value)
  const high = Math.floor(number / word)
  bytes.writeInt32BE(high, at)
  bytes.writeUInt32BE(number - high * word, at + 4)
}

function readInteger(bytes: Buffer, start: number): number | bigint {
  const number = bytes.readInt32BE(start) * word + bytes.readUInt32BE(start + 4)
  return Number.isSafeInteger(number) ? number : bytes.readBigInt64BE(start)
}
