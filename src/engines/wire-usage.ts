import type { WireUsage } from './engine.ts'

/**
 * Reads what was used from an answer whose bytes go by. An answer that comes in one piece is not copied; of a longer one
 * the end is kept, because each event of a stream tells the sum so far.
 */
export class UsageReader {
  #only: Uint8Array | undefined
  #tail: Buffer | undefined
  #length = 0
  #known: WireUsage | undefined

  see(bytes: Uint8Array): void {
    if (this.#tail !== undefined) {
      this.#keep(this.#tail, bytes)
    } else if (this.#only === undefined) {
      this.#only = bytes
    } else {
      this.#tail = Buffer.allocUnsafeSlow(2 * tailLength)
      this.#keep(this.#tail, this.#only)
      this.#keep(this.#tail, bytes)
      this.#only = undefined
    }
  }

  usage(): WireUsage | undefined {
    if (this.#tail !== undefined) return lastUsage(this.#tail.subarray(0, this.#length)) ?? this.#known
    if (this.#only === undefined) return undefined
    return lastUsage(this.#only)
  }

  #keep(tail: Buffer, bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length; at += tailLength) {
      const part = bytes.subarray(at, at + tailLength)
      if (this.#length + part.length > tail.length) this.#makeRoom(tail)
      tail.set(part, this.#length)
      this.#length += part.length
    }
  }

  /** What leaves is read first, in case nothing that follows tells the usage before the answer breaks. */
  #makeRoom(tail: Buffer): void {
    this.#known = lastUsage(tail.subarray(0, this.#length)) ?? this.#known
    tail.copyWithin(0, this.#length - tailLength, this.#length)
    this.#length = tailLength
  }
}

/** What follows the usage in an answer is short, but its details may be long. */
const tailLength = 8192

/** A cut one is passed over for the one before. Inside a text the quotes would be escaped. */
function lastUsage(bytes: Uint8Array): WireUsage | undefined {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  for (let at = text.lastIndexOf(mark); at !== -1; at = at === 0 ? -1 : text.lastIndexOf(mark, at - 1)) {
    const usage = usageAt(text.toString('latin1', at + mark.length, at + mark.length + tailLength))
    if (usage !== undefined) return usage
  }
  return undefined
}

const mark = '"usageMetadata"'

function usageAt(text: string): WireUsage | undefined {
  const found = metadata.exec(text)?.[0]
  if (found === undefined) return undefined
  return {
    promptTokens: count(promptCount.exec(found)) + count(toolUseCount.exec(found)),
    outputTokens: count(candidatesCount.exec(found)) + count(thoughtsCount.exec(found)),
  }
}

/** An object with lists of flat objects in it, which is all that stands there. Parsing it would cost more. */
const metadata = /^\s*:\s*\{(?:[^{}]|\{[^{}]*\})*\}/
const promptCount = /"promptTokenCount"\s*:\s*(\d{1,12})(?![\d.eE])/
const toolUseCount = /"toolUsePromptTokenCount"\s*:\s*(\d{1,12})(?![\d.eE])/
const candidatesCount = /"candidatesTokenCount"\s*:\s*(\d{1,12})(?![\d.eE])/
const thoughtsCount = /"thoughtsTokenCount"\s*:\s*(\d{1,12})(?![\d.eE])/

function count(found: RegExpExecArray | null): number {
  return Number(found?.[1] ?? 0)
}
