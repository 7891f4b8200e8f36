import type { Failure } from '../failure/failure.ts'
import { AnswerText, type TextAnswer } from './answer-text.ts'
import { collectWire } from './collect-wire.ts'
import type { GenerateRequest } from './content.ts'
import type { Engine, PieceEngine } from './engine.ts'
import { isFault } from './hesitate.ts'
import { cancelledCall } from './wire-failures.ts'

export interface TextQuestion {
  readonly engine: Engine
  /** Asked in this order where it fails. */
  readonly fallbacks: readonly Engine[]
  readonly prompt: string
  /** As much as the model likes unless set. */
  readonly maxOutputTokens?: number | undefined
}

export interface TextCall {
  readonly signal: AbortSignal
  readonly requestId: string
  /** Told how many characters there are so far, where an engine streams. */
  readonly onText?: ((characters: number) => void) | undefined
  /** Told of each engine that did not answer. */
  readonly onFault?: ((failure: Failure) => void) | undefined
}

export interface CollectedText extends TextAnswer {
  /** The one that answered. */
  readonly engine: Engine
}

/** Asks for one text and waits for all of it; aborting the signal ends the work. */
export async function collectText(question: TextQuestion, call: TextCall): Promise<CollectedText> {
  const { engine } = question
  try {
    return { ...(await ask(engine, requestOf(question), call)), engine }
  } catch (error) {
    // However an engine says that it stopped as it was told.
    if (call.signal.aborted) throw cancelledCall()
    if (!isFault(error)) throw error
    call.onFault?.(error)
    const [next, ...others] = question.fallbacks.filter(writesText)
    if (next === undefined) throw error
    return collectText({ ...question, engine: next, fallbacks: others }, call)
  }
}

export function writesText(engine: Engine): boolean {
  return engine.operations.has('generateContent')
}

function requestOf({ prompt, maxOutputTokens }: TextQuestion): GenerateRequest {
  return {
    contents: [{ role: 'user', parts: [{ text: prompt }] }],
    ...(maxOutputTokens !== undefined && { generationConfig: { maxOutputTokens } }),
  }
}

async function ask(engine: Engine, request: GenerateRequest, call: TextCall): Promise<TextAnswer> {
  if (engine.kind === 'pieces') return readPieces(engine, request, call)
  const answer = new AnswerText()
  answer.add(await collectWire(engine, JSON.stringify(request), call))
  return answer.finish()
}

async function readPieces(
  engine: PieceEngine,
  request: GenerateRequest,
  { signal, requestId, onText }: TextCall,
): Promise<TextAnswer> {
  const answer = new AnswerText()
  for await (const piece of engine.generate(request, { signal, requestId, isStream: true })) {
    answer.add(piece)
    onText?.(answer.length)
  }
  return answer.finish()
}
