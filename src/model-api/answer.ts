import { randomBytes } from 'node:crypto'
import type { OutgoingHttpHeaders, ServerResponse } from 'node:http'
import type { AnswerPiece, UsageMetadata } from '../engines/content.ts'
import { Failure } from '../failure/failure.ts'
import { frames, wireError, wirePiece } from './answer-frames.ts'
import { createMerge } from './answer-merge.ts'
import type { ErrorBody } from './errors.ts'
import type { Framing } from './errors-method.ts'
import { bytesOfText } from './guess-tokens.ts'

export interface SendOptions {
  readonly raw: ServerResponse
  readonly framing: Framing
  readonly modelVersion: string
  readonly responseId?: string
  readonly headers?: OutgoingHttpHeaders
  /** Called right before the first byte. */
  readonly began?: () => void
  /** Called when the answer is known, right before its end; that waits for the promise, and is cut off if it breaks. */
  readonly ending?: (sent: Sent) => Promise<void> | undefined
  /** Ends the engine's work; called when the reader goes away. */
  readonly abort: () => void
  /** The body of a failure in the middle of a stream. */
  readonly errorBody: (failure: Failure) => ErrorBody
}

/** How an answer ended. */
export interface Sent {
  /** 499 when the reader had gone before the first byte. */
  readonly status: number
  readonly usage: UsageMetadata | undefined
  /** The reader went away before the end. */
  readonly cancelled: boolean
  /** How many there were of an answer that was cut off; each has a token at least. */
  readonly pieces?: number
  /** About how many tokens a whole answer has, where its engine did not say. */
  readonly guessed?: number
  /** What ended a stream in its middle; its reader was told. */
  readonly failure?: Failure
}

/** Throws what fails before the first byte, so that it gets its own status; what fails later is told in the stream. */
export async function sendPieces(pieces: AsyncIterable<AnswerPiece>, options: SendOptions): Promise<Sent> {
  const reader = watchReader(options.raw, options.abort)
  const source = pieces[Symbol.asyncIterator]()
  try {
    const mark = {
      modelVersion: options.modelVersion,
      responseId: options.responseId ?? randomBytes(16).toString('base64url'),
    }
    return options.framing === 'whole'
      ? await sendWhole({ source, reader, mark }, options)
      : await sendStream({ source, reader, mark }, { ...options, frames: frames[options.framing] })
  } finally {
    reader.forget()
    // After an abort an engine may never answer this, and nobody waits for it.
    source.return?.().then(undefined, () => undefined)
  }
}

interface Sending {
  readonly source: AsyncIterator<AnswerPiece>
  readonly reader: Reader
  readonly mark: { readonly modelVersion: string; readonly responseId: string }
}

async function sendWhole(
  { source, reader, mark }: Sending,
  { raw, headers, began, ending }: SendOptions,
): Promise<Sent> {
  const merge = createMerge()
  let usage: UsageMetadata | undefined
  let count = 0
  for (;;) {
    const next = await reader.orGone(source.next())
    if (next === gone) return { status: 499, usage, cancelled: true, ...(count > 0 && { pieces: count }) }
    if (next.done === true) break
    count += 1
    usage = next.value.usageMetadata ?? usage
    merge.add(next.value)
  }
  const body = JSON.stringify(wirePiece(merge.whole(), mark))
  const sent = wholeSent(usage, Math.ceil(body.length / bytesOfText))
  const held = ending?.(sent)
  if (held !== undefined) await held
  began?.()
  raw.writeHead(200, {
    ...headers,
    'content-type': 'application/json; charset=UTF-8',
    'content-length': Buffer.byteLength(body),
  })
  raw.end(body)
  return sent
}

interface StreamOptions extends SendOptions {
  readonly frames: (typeof frames)['sse']
}

async function sendStream({ source, reader, mark }: Sending, options: StreamOptions): Promise<Sent> {
  const { raw, frames: form } = options
  let usage: UsageMetadata | undefined
  let count = 0
  let next = await reader.orGone(source.next())
  if (next === gone) return { status: 499, usage, cancelled: true }
  options.began?.()
  raw.writeHead(200, { ...options.headers, ...form.headers })
  try {
    while (next !== gone && next.done !== true) {
      usage = next.value.usageMetadata ?? usage
      const isRoomLeft = raw.write(form.element(wirePiece(next.value, mark), count))
      count += 1
      if (!isRoomLeft) await reader.ready()
      next = await reader.orGone(source.next())
    }
  } catch (error) {
    if (reader.isGone()) return { status: 200, usage, cancelled: true, pieces: count }
    const failure = asFailure(error)
    const last = form.element(wireError(options.errorBody(failure)), count) + form.end(count + 1)
    return endStream({ status: 200, usage, cancelled: false, failure, pieces: count }, last, options)
  }
  if (next === gone) return { status: 200, usage, cancelled: true, pieces: count }
  return endStream(wholeSent(usage, count), form.end(count), options)
}

function wholeSent(usage: UsageMetadata | undefined, guessed: number): Sent {
  return { status: 200, usage, cancelled: false, ...(usage === undefined && { guessed }) }
}

/** The head is out: what cannot be recorded is cut off. */
function endStream(sent: Sent, last: string, { raw, ending }: SendOptions): Sent | Promise<Sent> {
  const held = ending?.(sent)
  if (held !== undefined)
    return held
      .then(
        () => raw.end(last),
        () => raw.destroy(),
      )
      .then(() => sent)
  raw.end(last)
  return sent
}

function asFailure(error: unknown): Failure {
  return error instanceof Failure ? error : new Failure('internal', 'unexpected error', { cause: error })
}

const gone = Symbol('the reader went away')

interface Reader {
  readonly isGone: () => boolean
  /** What the promise brings, or `gone` at once when the reader goes. */
  readonly orGone: <T>(promise: Promise<T>) => Promise<T | typeof gone>
  /** When more bytes can be taken, or the reader has gone. */
  readonly ready: () => Promise<void>
  readonly forget: () => void
}

/** A promise per answer would keep every piece alive in its list of listeners, so one callback waits at a time. */
function watchReader(raw: ServerResponse, abort: () => void): Reader {
  let isGone = false
  let leave: (() => void) | undefined

  function onClose(): void {
    if (isGone || raw.writableFinished) return
    isGone = true
    abort()
    leave?.()
  }

  /** A broken socket is known before its event, for which an engine that never rests would leave no time. */
  function hasGone(): boolean {
    if (raw.destroyed) onClose()
    return isGone
  }

  raw.once('close', onClose)
  return {
    isGone: hasGone,
    orGone: async (promise) => {
      // It may fail after we stopped waiting.
      promise.catch(() => undefined)
      if (hasGone()) return gone
      const { promise: left, resolve } = Promise.withResolvers<typeof gone>()
      leave = () => resolve(gone)
      try {
        return await Promise.race([promise, left])
      } catch (error) {
        if (hasGone()) return gone
        throw error
      } finally {
        leave = undefined
      }
    },
    ready: async () => {
      if (hasGone() || !raw.writableNeedDrain) return
      const { promise, resolve } = Promise.withResolvers<void>()
      leave = resolve
      raw.once('drain', resolve)
      await promise
      raw.off('drain', resolve)
      leave = undefined
    },
    forget: () => raw.off('close', onClose),
  }
}
