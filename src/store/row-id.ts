/**
 * A UUID of version 7 (RFC 9562, method 3) as lower-case text. The microsecond is in the sorted part, so ids made from
 * the values of one `Clock` sort in the order they were made.
 */
export function rowId(microseconds: number, random: Uint8Array): string {
  if (random.length < randomLength) throw new RangeError(`a row id needs ${randomLength} random bytes`)
  const bytes = Buffer.alloc(16)
  bytes.writeUIntBE(Math.floor(microseconds / 1000), 0, 6)
  bytes.writeUInt16BE(0x7000 | Math.floor(((microseconds % 1000) * 4096) / 1000), 6)
  bytes.set(random.subarray(0, randomLength), 8)
  bytes.writeUInt8(0x80 | (bytes.readUInt8(8) & 0x3f), 8)
  const hex = bytes.toString('hex')
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
}

const randomLength = 8
