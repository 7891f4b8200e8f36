import type { IncomingMessage } from 'node:http'
import { Failure } from '../failure/failure.ts'
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

export function cutOff(cause?: unknown): Failure {
  return new Failure('invalid-request', 'the body ended too early', { cause, reason: cutReason })
}
