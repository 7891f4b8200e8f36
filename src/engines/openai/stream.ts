import { Failure } from '../../failure/failure.ts'
import type { AnswerPiece } from '../content.ts'
import { type AnswerReader, wholePiece } from './answer.ts'
import { type RefusedCall, refusedByUpstream } from './failure.ts'
import { readSseEvents, type SseEvent } from './sse-reader.ts'
import { readObject } from './upstream.ts'
import { countAt, type JsonObject, objectAt, parseObject } from './values.ts'

const maxEventBytes = 8 * 1024 * 1024

/** The pieces of a streamed answer. The last one says how it ended and carries the usage. */
export async function* streamPieces(
  chunks: AsyncIterable<Uint8Array>,
  reader: AnswerReader,
  call: RefusedCall,
): AsyncGenerator<AnswerPiece, void, undefined> {
  for await (const event of readSseEvents(chunks, maxEventBytes)) {
    if (event.data === '[DONE]') break
    const piece = reader.take(chunkOf(event, call))
    if (piece !== undefined) yield piece
  }
  yield reader.finish()
}

/** The pieces of an answer that came whole: one. */
export async function* wholePieces(
  chunks: AsyncIterable<Uint8Array>,
  reader: AnswerReader,
  call: RefusedCall,
): AsyncGenerator<AnswerPiece, void, undefined> {
  const answer = await readObject(chunks)
  if (isError(answer)) throw refusedInBody(answer, call)
  const first = reader.take(answer)
  yield wholePiece(first, reader.finish())
}

function chunkOf({ event, data }: SseEvent, call: RefusedCall): JsonObject {
  const chunk = parseObject(data)
  if (chunk === undefined)
    throw new Failure('unavailable', 'the upstream sent an event that is no JSON object; try again', {
      reason: 'upstream_garbage',
    })
  if (event === 'error' || isError(chunk)) throw refusedInBody(chunk, call)
  return chunk
}

function isError({ error, object }: JsonObject): boolean {
  return (error !== undefined && error !== null) || object === 'error'
}

/** An error under status 200: its own status can only stand in the body. */
function refusedInBody(answer: JsonObject, call: RefusedCall): Failure {
  const status = countAt(objectAt(answer, 'error') ?? answer, 'code') ?? 500
  return refusedByUpstream({ status, body: JSON.stringify(answer) }, call)
}
