import type { AnswerPiece, Candidate, Part, UsageMetadata } from '../content.ts'
import type { StoryEvent } from './messages.ts'

/**
 * The last candidate's end waits for the counts, so that the last piece carries the usage. The first one tells what was read
 * already, because an answer may be cut off before its end.
 */
export async function* answerPieces(events: AsyncIterable<StoryEvent>): AsyncGenerator<AnswerPiece, void> {
  let ended: Candidate | undefined
  let begun: UsageMetadata | undefined
  const piece = (candidate: Candidate): AnswerPiece => {
    const usage = begun === undefined ? {} : { usageMetadata: begun }
    begun = undefined
    return { candidates: [candidate], ...usage }
  }
  for await (const event of events) {
    if (ended !== undefined) {
      yield event.kind === 'done'
        ? { candidates: [ended], usageMetadata: usageOf(event.promptTokens, event.outputTokens) }
        : piece(ended)
      ended = undefined
    }
    if (event.kind === 'begun') begun = usageOf(event.promptTokens)
    else if (event.kind === 'text') yield piece(candidateOf(event.candidate, [{ text: event.text }]))
    else if (event.kind === 'end') ended = endOf(event)
  }
}

function endOf({ candidate, text, call, finishReason }: Extract<StoryEvent, { kind: 'end' }>): Candidate {
  const parts = call !== undefined ? [{ functionCall: call }] : text === '' ? [] : [{ text }]
  return { ...candidateOf(candidate, parts), finishReason }
}

function candidateOf(index: number, parts: readonly Part[]): Candidate {
  return parts.length === 0 ? { index } : { index, content: { role: 'model', parts } }
}

function usageOf(promptTokens: number, outputTokens?: number): UsageMetadata {
  return {
    promptTokenCount: promptTokens,
    ...(outputTokens !== undefined && { candidatesTokenCount: outputTokens }),
    totalTokenCount: promptTokens + (outputTokens ?? 0),
    promptTokensDetails: [{ modality: 'TEXT', tokenCount: promptTokens }],
  }
}
