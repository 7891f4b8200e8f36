import type { IncomingMessage } from 'node:http'
import { Failure } from '../failure/failure.ts'
import { takeOwnTime } from '../http/own-time.ts'
import { GrowingBytes } from '../intake/growing-bytes.ts'
import type { Files } from '../store/files.ts'
import type { StoredFile } from '../store/tables-files.ts'

/** A body piece by piece; leaving it early keeps the connection, so that the refusal still gets out. */
export async function* bodyOf(request: IncomingMessage): AsyncGenerator<Buffer> {
  try {
    for await (const piece of request.iterator({ destroyOnReturn: false }))
      if (piece instanceof Buffer) yield piece
  } catch (cause) {
    throw cutOff(cause)
  }
}

/**
 * A body that may take as long as it goes on: each 256 KiB of it have that long to come. Time in which nobody asks for more
 * does not count.
 */
export async function* steadyBodyOf(request: IncomingMessage, patienceMs: number): AsyncGenerator<Buffer> {
  takeOwnTime(request)
  const pieces = bodyOf(request)
  let left = patienceMs
  let bytes = 0
  try {
    for (;;) {
      const asked = performance.now()
      const next = await inTime(pieces.next(), left)
      if (next === 'late') throw tooSlow(patienceMs)
      if (next.done === true) return
      left -= performance.now() - asked
      bytes += next.value.length
      if (bytes >= stretchBytes) {
        left = patienceMs
        bytes = 0
      }
      yield next.value
    }
  } finally {
    // Not awaited: while a piece is waited for, that would wait too.
    void pieces.return(undefined)
  }
}

const stretchBytes = 256 * 1024

async function inTime<T>(piece: Promise<T>, ms: number): Promise<T | 'late'> {
  const { promise, resolve } = Promise.withResolvers<'late'>()
  const timer = setTimeout(() => resolve('late'), ms)
  try {
    return await Promise.race([piece, promise])
  } finally {
    clearTimeout(timer)
  }
}

export async function readText(body: AsyncIterable<Buffer>, limit: number): Promise<string> {
  const text = new GrowingBytes(limit)
  for await (const piece of body) {
    if (text.length + piece.length > limit)
      throw new Failure('too-large', `the metadata may have at most ${limit} bytes`)
    text.append(piece)
  }
  return text.all().toString('utf8')
}

/** Stores as it comes, a mebibyte at a time; when the connection breaks, what has come is kept. */
export async function receive(
  files: Files,
  file: StoredFile,
  body: AsyncIterable<Buffer>,
): Promise<StoredFile> {
  let current = file
  const held = new GrowingBytes(chunkBytes)
  const store = async (): Promise<void> => {
    if (held.length === 0) return
    const bytes = held.all()
    held.clear()
    current = await files.append(current, bytes)
  }
  try {
    for await (const piece of body) {
      held.append(piece)
      if (held.length >= chunkBytes) await store()
    }
  } catch (error) {
    if (error instanceof Failure && error.reason === cutReason) await store()
    throw error
  }
  await store()
  return current
}

const chunkBytes = 2 ** 20
const cutReason = 'body_cut_off'

function tooSlow(patienceMs: number): Failure {
  return new Failure(
    'invalid-request',
    `the body came too slowly: each ${stretchBytes} bytes of an upload have to come within ${patienceMs / 1000} seconds`,
    { reason: cutReason },
  )
}

export function cutOff(cause?: unknown): Failure {
  return new Failure('invalid-request', 'the body ended too early', { cause, reason: cutReason })
}
