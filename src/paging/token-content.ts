import { fingerprintLength } from './fingerprint.ts'

/** What a token says, before it is protected. */
export interface TokenContent {
  /** The position is read towards the start of the list. */
  readonly backward: boolean
  /** The bytes of a snapshot bound follow the position. */
  readonly bounded: boolean
  /** Seconds since 1970; 0 never expires. */
  readonly expires: number
  /** Fingerprint of the list and its order. */
  readonly list: Buffer
  /** Fingerprint of the filters. */
  readonly filters: Buffer
  readonly position: Buffer
}

/** The version minted today. A change of the layout adds a reader and keeps the old one for one lifetime. */
export const currentVersion = 1

type Reader = (bytes: Buffer) => TokenContent | undefined

const readers: Readonly<Record<number, Reader>> = { [currentVersion]: readCurrent }

const fixedLength = 1 + 4 + 2 * fingerprintLength

export function writeContent(content: TokenContent): Buffer {
  const fixed = Buffer.alloc(5)
  fixed.writeUInt8((content.backward ? 1 : 0) | (content.bounded ? 2 : 0))
  fixed.writeUInt32BE(content.expires, 1)
  return Buffer.concat([fixed, content.list, content.filters, content.position])
}

/** A version that we have stopped reading was ours once, so it is `retired`; anything else is not ours. */
export function readContent(
  version: number,
  bytes: Buffer,
  known: Readonly<Record<number, Reader>> = readers,
): TokenContent | 'retired' | undefined {
  const read = known[version]
  if (read !== undefined) return read(bytes)
  return version < Math.max(...Object.keys(known).map(Number)) ? 'retired' : undefined
}

function readCurrent(bytes: Buffer): TokenContent | undefined {
  if (bytes.length < fixedLength) return undefined
  const flags = bytes.readUInt8()
  return {
    backward: (flags & 1) !== 0,
    bounded: (flags & 2) !== 0,
    expires: bytes.readUInt32BE(1),
    list: bytes.subarray(5, 5 + fingerprintLength),
    filters: bytes.subarray(5 + fingerprintLength, fixedLength),
    position: bytes.subarray(fixedLength),
  }
}
