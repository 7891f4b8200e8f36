import { ClientError } from './client-error.ts'

export interface ServerSentEvent {
  /** The id of this event or, where it has none, of the last one that had. */
  readonly id: string
  readonly name: string
  readonly data: string
}

export interface EventReading {
  /** A longer event is refused. */
  readonly maxLength: number
  readonly signal?: AbortSignal | undefined
}

/** Without data it is no event: it only says what the last id is now. */
interface SentBlock extends Omit<ServerSentEvent, 'data'> {
  readonly data: string | undefined
}

/** The events of an answer as HTML defines them; leaving the loop ends the answer. */
export async function* serverSentEvents(
  body: ReadableStream<Uint8Array>,
  reading: EventReading,
): AsyncGenerator<ServerSentEvent, void, undefined> {
  for await (const { data, ...block } of serverSentBlocks(body, reading))
    if (data !== undefined) yield { ...block, data }
}

/** The same, and what has an id without being an event. */
export async function* serverSentBlocks(
  body: ReadableStream<Uint8Array>,
  { maxLength, signal }: EventReading,
): AsyncGenerator<SentBlock, void, undefined> {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  const collected = collector(maxLength)
  try {
    for (;;) {
      const { done, value } = await readChunk(reader, signal)
      if (done) return collected.end()
      yield* collected.take(decoder.decode(value, { stream: true }))
    }
  } finally {
    // What is not read must not be sent; a body that broke off already needs no such word.
    await reader.cancel().catch(() => {})
  }
}

async function readChunk(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  signal: AbortSignal | undefined,
): Promise<{ done: boolean; value?: Uint8Array | undefined }> {
  try {
    return await reader.read()
  } catch (cause) {
    signal?.throwIfAborted()
    throw new ClientError('network', 'the stream broke off before its end', { cause })
  }
}

interface Collector {
  /** The events that a further piece of text completes. */
  readonly take: (piece: string) => readonly SentBlock[]
  /** Throws where an event was begun and not completed. */
  readonly end: () => void
}

function collector(maxLength: number): Collector {
  let rest = ''
  let id = ''
  let name = ''
  let data: string[] = []
  let hasId = false
  let size = 0

  function takeLine(line: string): SentBlock | undefined {
    if (line === '') {
      const text = data.length === 0 ? undefined : data.join('\n')
      const event = text === undefined && !hasId ? undefined : { id, name: name || 'message', data: text }
      hasId = false
      name = ''
      data = []
      size = 0
      return event
    }
    const [, field = '', value = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? []
    if (field === 'data') data.push(value)
    else if (field === 'event') name = value
    else if (field === 'id' && !value.includes('\0')) {
      id = value
      hasId = true
    }
    size += line.length
    return undefined
  }

  function takeLines(piece: string): readonly SentBlock[] {
    const isWithin = !rest.endsWith('\r') && !/[\r\n]/.test(piece)
    rest += piece
    // A long line comes in many pieces: only what is new is searched.
    if (isWithin) return []
    // What follows a carriage return at the end may be its line feed.
    const lines = rest.split(/\r\n|\n|\r(?!$)/)
    rest = lines.pop() ?? ''
    return lines.map(takeLine).filter((event) => event !== undefined)
  }

  return {
    take: (piece) => {
      const events = takeLines(piece)
      if (size + rest.length > maxLength)
        throw new ClientError('too_large', `an event of the stream has more than ${maxLength} characters`)
      return events
    },
    end: () => {
      if (data.length > 0 || rest !== '')
        throw new ClientError('network', 'the stream broke off within an event')
    },
  }
}
