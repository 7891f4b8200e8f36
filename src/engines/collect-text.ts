import { Failure } from '../failure/failure.ts'
import { AnswerText, type TextAnswer, type TokensUsed } from './answer-text.ts'
import { collectWire } from './collect-wire.ts'
import type { GenerateRequest } from './content.ts'
import type { Engine, PieceEngine, WireUsage } from './engine.ts'
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
  /**
   * Told once of each engine that has used something, also when it fails; when the signal is aborted, at once. Without a token
   * that was read, the engine has not said how many there were.
   */
  readonly onUsed?: ((used: TokensUsed) => void) | undefined
}

export interface CollectedText extends TextAnswer {
  /** The one that answered. */
  readonly engine: Engine
}

/** Asks for one text and waits for all of it; aborting the signal ends the work. */
export async function collectText(question: TextQuestion, call: TextCall): Promise<CollectedText> {
  return collectFrom(question, call, undefined)
}

/** What one that stands in refuses is no answer to why it was asked. */
async function collectFrom(
  question: TextQuestion,
  call: TextCall,
  outage: Failure | undefined,
): Promise<CollectedText> {
  const { engine } = question
  try {
    return { ...(await askOnce(engine, requestOf(question), call)), engine }
  } catch (error) {
    // However an engine says that it stopped as it was told.
    if (call.signal.aborted) throw cancelledCall()
    const isRefusal = !isFault(error)
    if (isRefusal && (outage === undefined || !(error instanceof Failure))) throw error
    call.onFault?.(error)
    const [next, ...others] = question.fallbacks.filter(writesText)
    if (next === undefined) throw isRefusal ? outage : error
    return collectFrom({ ...question, engine: next, fallbacks: others }, call, outage ?? error)
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

/** Whoever aborts the signal tells at once how the call went, so what was used cannot wait for the engine to notice. */
async function askOnce(engine: Engine, request: GenerateRequest, call: TextCall): Promise<TextAnswer> {
  const { signal, onUsed } = call
  let used: TokensUsed | undefined
  let isTold = false
  const tell = (): void => {
    // Who hangs up has asked: the engine reads for nothing, and can say no more how much.
    if (!isTold && (used !== undefined || signal.aborted)) onUsed?.(used ?? unsaid)
    isTold = true
  }
  const note = (known: TokensUsed): void => {
    used = known
  }
  const asked = ask(engine, request, { ...call, note })
  // After the listener of the engine, which may learn by it what was used.
  signal.addEventListener('abort', tell)
  try {
    const answer = await asked
    note(answer)
    return answer
  } finally {
    signal.removeEventListener('abort', tell)
    tell()
  }
}

const unsaid: TokensUsed = { tokensIn: 0, tokensOut: 0 }

interface NotedCall extends TextCall {
  /** Keeps what is known of the usage so far. */
  readonly note: (used: TokensUsed) => void
}

async function ask(engine: Engine, request: GenerateRequest, call: NotedCall): Promise<TextAnswer> {
  if (engine.kind === 'pieces') return readPieces(engine, request, call)
  const { signal, requestId, note } = call
  const answer = new AnswerText()
  const onUsage = ({ promptTokens, outputTokens }: WireUsage): void =>
    note({ tokensIn: promptTokens, tokensOut: outputTokens })
  answer.add(await collectWire(engine, JSON.stringify(request), { signal, requestId, onUsage }))
  return answer.finish()
}

async function readPieces(
  engine: PieceEngine,
  request: GenerateRequest,
  { signal, requestId, onText, note }: NotedCall,
): Promise<TextAnswer> {
  const answer = new AnswerText()
  for await (const piece of engine.generate(request, { signal, requestId, isStream: true })) {
    try {
      answer.add(piece)
    } finally {
      note(answer.usedSoFar())
    }
    onText?.(answer.length)
  }
  return answer.finish()
}
