import { Failure } from '../../failure/failure.ts'

export interface SseEvent {
  /** `message` unless the stream names another. */
  readonly event: string
  readonly data: string
}

/** The events of a stream of bytes, however it is cut; one larger than the limit is a failure. */
export async function* readSseEvents(
  chunks: AsyncIterable<Uint8Array>,
  maxEventBytes: number,
): AsyncGenerator<SseEvent, void, undefined> {
  const reader = new SseReader(maxEventBytes)
  for await (const chunk of chunks) yield* reader.push(chunk)
  yield* reader.end()
}

const lineFeed = 0x0a
const carriageReturn = 0x0d
const byteOrderMark = '\uFEFF'

class SseReader {
  readonly #maxEventBytes: number
  /** Keeps the byte order mark: only the first one of the stream is to go, not one of each line. */
  readonly #decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  /** The beginning of a line whose end has not come yet. */
  #pending: Uint8Array[] = []
  #eventBytes = 0
  #isFirstLine = true
  #isAfterReturn = false
  #event = ''
  #data: string[] = []

  constructor(maxEventBytes: number) {
    this.#maxEventBytes = maxEventBytes
  }

  push(chunk: Uint8Array): readonly SseEvent[] {
    const events: SseEvent[] = []
    let start = 0
    let isAfterReturn = this.#isAfterReturn
    for (let at = 0; at < chunk.length; at += 1) {
      const byte = chunk[at]
      const isLineEnd = byte === lineFeed || byte === carriageReturn
      if (isLineEnd) {
        // CR LF is one line end, also when a cut falls between the two.
        if (byte === carriageReturn || !isAfterReturn) {
          this.#keep(chunk.subarray(start, at))
          this.#endLine(events)
        }
        start = at + 1
      }
      isAfterReturn = byte === carriageReturn
    }
    this.#isAfterReturn = isAfterReturn
    this.#keep(chunk.subarray(start))
    return events
  }

  /** A stream may end without its last blank line, or without its last line end. */
  end(): readonly SseEvent[] {
    const events: SseEvent[] = []
    if (this.#pending.length > 0) this.#endLine(events)
    this.#dispatch(events)
    return events
  }

  #keep(bytes: Uint8Array): void {
    if (bytes.length === 0) return
    this.#eventBytes += bytes.length
    if (this.#eventBytes > this.#maxEventBytes)
      throw new Failure('unavailable', `the upstream sent an event of more than ${this.#maxEventBytes} bytes`)
    this.#pending.push(bytes)
  }

  #endLine(events: SseEvent[]): void {
    const bytes = joined(this.#pending)
    this.#pending = []
    const line = this.#decoder.decode(bytes)
    const text = this.#isFirstLine && line.startsWith(byteOrderMark) ? line.slice(1) : line
    this.#isFirstLine = false
    if (text === '') this.#dispatch(events)
    // A comment is no part of an event: many of them must not add up to a large one.
    else if (!this.#takeField(text)) this.#eventBytes -= bytes.length
  }

  #takeField(line: string): boolean {
    const colon = line.indexOf(':')
    const name = colon === -1 ? line : line.slice(0, colon)
    const value = colon === -1 ? '' : line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1)
    if (name === 'data') this.#data.push(value)
    else if (name === 'event') this.#event = value
    else return false
    return true
  }

  #dispatch(events: SseEvent[]): void {
    if (this.#data.length > 0)
      events.push({ event: this.#event === '' ? 'message' : this.#event, data: this.#data.join('\n') })
    this.#data = []
    this.#event = ''
    this.#eventBytes = 0
  }
}

function joined(pieces: readonly Uint8Array[]): Uint8Array {
  const [only] = pieces
  if (only !== undefined && pieces.length === 1) return only
  const whole = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0))
  let at = 0
  for (const piece of pieces) {
    whole.set(piece, at)
    at += piece.length
  }
  return whole
}
