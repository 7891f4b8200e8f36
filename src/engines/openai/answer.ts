import { Failure } from '../../failure/failure.ts'
import type { AnswerPiece, FinishReason, Part, UsageMetadata } from '../content.ts'
import { logprobFields, type ScoredCandidate } from './logprobs.ts'
import { GrowingCalls } from './tool-calls.ts'
import { usageMetadata } from './usage.ts'
import { countAt, isObject, type JsonObject, objectAt, objectsAt, textAt } from './values.ts'

/** Puts an answer together from chunks, or from the one object of an answer that is not streamed. */
export class AnswerReader {
  readonly #wantsThoughts: boolean
  readonly #candidates = new Map<number, GrowingCandidate>()
  #usage: UsageMetadata | undefined

  constructor({ wantsThoughts }: { readonly wantsThoughts: boolean }) {
    this.#wantsThoughts = wantsThoughts
  }

  /** What a chunk adds to the answer, if anything can be said already. */
  take(chunk: JsonObject): AnswerPiece | undefined {
    this.#usage = usageMetadata(objectAt(chunk, 'usage') ?? {}) ?? this.#usage
    const candidates = objectsAt(chunk, 'choices').flatMap((choice, position) =>
      this.#takeChoice(choice, position),
    )
    return candidates.length === 0 ? undefined : this.#withUsage(candidates)
  }

  /** How it ended, with the usage; an answer that did not end is a failure. */
  finish(): AnswerPiece {
    const grown = [...this.#candidates.values()].sort((one, other) => one.index - other.index)
    if (grown.length === 0 || grown.some(({ finish }) => finish === undefined))
      throw new Failure('unavailable', 'the upstream ended its answer before it was complete; try again', {
        reason: 'upstream_incomplete',
      })
    return this.#withUsage(grown.map(ending))
  }

  /** Some servers tell it with each chunk: then also an answer that is cut off has one. */
  #withUsage(candidates: readonly ScoredCandidate[]): AnswerPiece {
    return { candidates, ...(this.#usage !== undefined && { usageMetadata: this.#usage }) }
  }

  #takeChoice(choice: JsonObject, position: number): readonly ScoredCandidate[] {
    const candidate = this.#candidateAt(countAt(choice, 'index') ?? position)
    const delta = objectAt(choice, 'delta') ?? objectAt(choice, 'message') ?? {}
    const parts = this.#partsOf(delta)
    for (const [at, call] of objectsAt(delta, 'tool_calls').entries()) candidate.calls.take(call, at)
    candidate.refusal += textAt(delta, 'refusal') ?? ''
    candidate.finish = textAt(choice, 'finish_reason') || candidate.finish
    const scored = logprobFields(objectAt(choice, 'logprobs') ?? {})
    if (parts.length === 0 && scored.logprobsResult === undefined) return []
    return [
      { index: candidate.index, ...(parts.length > 0 && { content: { role: 'model', parts } }), ...scored },
    ]
  }

  /** Reasoning goes by two names; the Gemini wire shows it only to those who ask. */
  #partsOf(delta: JsonObject): readonly Part[] {
    const thought = textAt(delta, 'reasoning_content') || textAt(delta, 'reasoning') || ''
    const text = contentText(delta.content)
    return [
      ...(thought !== '' && this.#wantsThoughts ? [{ text: thought, thought: true }] : []),
      ...(text === '' ? [] : [{ text }]),
    ]
  }

  #candidateAt(index: number): GrowingCandidate {
    const known = this.#candidates.get(index)
    if (known !== undefined) return known
    const fresh: GrowingCandidate = { index, calls: new GrowingCalls(), refusal: '', finish: undefined }
    this.#candidates.set(index, fresh)
    return fresh
  }
}

/** One piece for an answer that came whole. */
export function wholePiece(first: AnswerPiece | undefined, last: AnswerPiece): AnswerPiece {
  const begun = new Map(first?.candidates.map((candidate) => [candidate.index, candidate]))
  const candidates = last.candidates.map((candidate) => {
    const { content, ...rest } = begun.get(candidate.index) ?? { index: candidate.index }
    const parts = [...(content?.parts ?? []), ...(candidate.content?.parts ?? [])]
    return { ...rest, ...candidate, content: { role: 'model' as const, parts } }
  })
  return { ...last, candidates }
}

interface GrowingCandidate {
  readonly index: number
  readonly calls: GrowingCalls
  refusal: string
  finish: string | undefined
}

const finishReasons: ReadonlyMap<string, FinishReason> = new Map([
  ['stop', 'STOP'],
  ['length', 'MAX_TOKENS'],
  ['content_filter', 'SAFETY'],
  ['tool_calls', 'STOP'],
  ['function_call', 'STOP'],
])

function ending({ index, calls, refusal, finish = '' }: GrowingCandidate): ScoredCandidate {
  const finishReason = finishReasons.get(finish) ?? 'OTHER'
  if (refusal !== '') return { index, finishReason: 'SAFETY', finishMessage: refusal }
  const called = calls.finished()
  if ('malformed' in called) {
    if (finishReason === 'MAX_TOKENS')
      return { index, finishReason, finishMessage: 'A function call was cut off.' }
    const finishMessage = `Malformed function call: ${called.malformed}`
    return { index, finishReason: 'MALFORMED_FUNCTION_CALL', finishMessage }
  }
  return {
    index,
    ...(called.parts.length > 0 && { content: { role: 'model', parts: called.parts } }),
    finishReason,
    ...(finishReason === 'OTHER' && { finishMessage: `The upstream stopped: ${finish.slice(0, 200)}` }),
  }
}

/** A text, or a list of parts of which only texts are meant for the reader. */
function contentText(content: unknown): string {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return ''
  return content
    .filter(isObject)
    .map((part) => (part.type === 'text' ? (textAt(part, 'text') ?? '') : ''))
    .join('')
}
