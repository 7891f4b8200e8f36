import type { AnswerPiece, Candidate, Part, UsageMetadata } from '../content.ts'
import type { StoryEvent } from './messages.ts'

/** The last candidate's end waits for the counts, so that the last piece carries the usage. */
export async function* answerPieces(events: AsyncIterable<StoryEvent>): AsyncGenerator<AnswerPiece, void> {
  let ended: Candidate | undefined
  for await (const event of events) {
    if (ended !== undefined) {
      yield event.kind === 'done'
        ? { candidates: [ended], usageMetadata: usageOf(event) }
        : { candidates: [ended] }
      ended = undefined
    }
    if (event.kind === 'text') yield { candidates: [candidateOf(event.candidate, [{ text: event.text }])] }
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

function usageOf({ promptTokens, outputTokens }: Extract<StoryEvent, { kind: 'done' }>): UsageMetadata {
  return {
    promptTokenCount: promptTokens,
    candidatesTokenCount: outputTokens,
    totalTokenCount: promptTokens + outputTokens,
    promptTokensDetails: [{ modality: 'TEXT', tokenCount: promptTokens }],
  }
}
