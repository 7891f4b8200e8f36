import type { ChatHistoryItem, ResponseChunk } from 'node-llama-cpp'
import { Failure } from '../../failure/failure.ts'
import type { AnswerPiece, Part, UsageMetadata } from '../content.ts'
import { createMailbox } from '../thread/mailbox.ts'
import type { LoadedModel } from './loaded-model.ts'
import type { LlamaOptions } from './options.ts'

export interface Generation {
  readonly model: LoadedModel
  readonly history: readonly ChatHistoryItem[]
  readonly options: LlamaOptions
  readonly signal: AbortSignal
  /** Called when the work has ended, which may be a moment after nobody waits for it any more. */
  readonly ended: () => void
}

/** Text as it is written, with the counts so far; the last piece has the reason. */
export async function* generatePieces(generation: Generation): AsyncGenerator<AnswerPiece, void> {
  const { signal, ended } = generation
  const pieces = createMailbox<AnswerPiece>()
  const stop = new AbortController()
  const leave = (): void => {
    stop.abort(signal.reason)
    pieces.end(signal.reason)
  }
  signal.addEventListener('abort', leave)
  write(generation, { put: pieces.put, signal: stop.signal })
    .then(
      () => pieces.end(),
      (error: unknown) => pieces.end(asFailure(error)),
    )
    .finally(ended)
  try {
    yield* pieces.items()
  } finally {
    signal.removeEventListener('abort', leave)
    stop.abort()
  }
}

interface Writing {
  readonly put: (piece: AnswerPiece) => void
  readonly signal: AbortSignal
}

async function write({ model, history, options }: Generation, { put, signal }: Writing): Promise<void> {
  const { chat, contextSize } = model
  const promptTokens = model.countTokens(history)
  const room = contextSize - promptTokens
  if (room < 1) throw tooLong(promptTokens, contextSize)
  const grammar = await model.grammarFor(options.form)
  let answerTokens = 0
  let thoughtTokens = 0
  const onResponseChunk = (chunk: ResponseChunk): void => {
    if (chunk.segmentType === undefined) answerTokens += chunk.tokens.length
    else thoughtTokens += chunk.tokens.length
    const part = partOf(chunk, options.wantsThoughts)
    if (part !== undefined)
      put({
        candidates: [{ index: 0, content: { role: 'model', parts: [part] } }],
        usageMetadata: usageOf(promptTokens, answerTokens, thoughtTokens),
      })
  }
  const { metadata } = await chat.generateResponse(history, {
    ...options.sampling,
    ...(grammar === undefined ? {} : { grammar }),
    // No further than the context goes: what was said first would be forgotten without a word.
    maxTokens: Math.min(options.maxOutputTokens ?? room, room),
    signal,
    onResponseChunk,
  })
  put({
    candidates: [{ index: 0, finishReason: metadata.stopReason === 'maxTokens' ? 'MAX_TOKENS' : 'STOP' }],
    usageMetadata: usageOf(promptTokens, answerTokens, thoughtTokens),
  })
}

function partOf({ segmentType, text }: ResponseChunk, wantsThoughts: boolean): Part | undefined {
  if (text === '') return undefined
  if (segmentType === undefined) return { text }
  return segmentType === 'thought' && wantsThoughts ? { text, thought: true } : undefined
}

function usageOf(prompt: number, answer: number, thoughts: number): UsageMetadata {
  return {
    promptTokenCount: prompt,
    candidatesTokenCount: answer,
    ...(thoughts === 0 ? {} : { thoughtsTokenCount: thoughts }),
    totalTokenCount: prompt + answer + thoughts,
    promptTokensDetails: [{ modality: 'TEXT', tokenCount: prompt }],
  }
}

function tooLong(tokens: number, most: number): Failure {
  return new Failure(
    'invalid-request',
    `the contents have ${tokens} tokens, and this model reads fewer than ${most}`,
    {
      field: 'contents',
      recovery: 'fix_request',
    },
  )
}

function asFailure(error: unknown): unknown {
  if (error instanceof Failure) return error
  return new Failure('internal', 'the model broke off', { cause: error })
}
