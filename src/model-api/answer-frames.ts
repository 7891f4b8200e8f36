import type { AnswerPiece } from '../engines/content.ts'
import type { ErrorBody } from './errors.ts'

/** Stands beside every piece of one answer. */
export interface AnswerMark {
  readonly modelVersion: string
  readonly responseId: string
}

/** How the pieces of a stream become bytes. */
export interface Frames {
  readonly headers: Readonly<Record<string, string>>
  /** The n-th element, from 0: a piece, or the error that ends the stream. */
  readonly element: (content: object, index: number) => string
  /** What follows the last of `count` elements. */
  readonly end: (count: number) => string
}

/** No `[DONE]`: the stream just ends. Proxies that would hold it back until then are told not to. */
const serverSentEvents: Frames = {
  headers: { 'content-type': 'text/event-stream', 'x-accel-buffering': 'no' },
  element: (content) => `data: ${JSON.stringify(content)}\r\n\r\n`,
  end: () => '',
}

const growingList: Frames = {
  headers: { 'content-type': 'application/json; charset=UTF-8' },
  element: (content, index) => `${index === 0 ? '[' : '\n,\r\n'}${JSON.stringify(content)}`,
  end: (count) => (count === 0 ? '[]' : '\n]'),
}

export const frames: { readonly sse: Frames; readonly array: Frames } = {
  sse: serverSentEvents,
  array: growingList,
}

/** The usage is on the pieces that have it; the last one has the sum. */
export function wirePiece(
  { candidates, promptFeedback, usageMetadata }: AnswerPiece,
  { modelVersion, responseId }: AnswerMark,
): object {
  return {
    ...(candidates.length === 0 ? {} : { candidates }),
    ...(promptFeedback === undefined ? {} : { promptFeedback }),
    ...(usageMetadata === undefined ? {} : { usageMetadata }),
    modelVersion,
    responseId,
  }
}

/** Inside a stream the details are left out: clients read code, message and status. */
export function wireError({ error: { code, message, status } }: ErrorBody): object {
  return { error: { code, message, status } }
}
