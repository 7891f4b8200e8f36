import { Failure } from '../failure/failure.ts'

export interface TextAnswer extends TokensUsed {
  readonly text: string
  /** In the words of the Gemini wire, such as `STOP` or `MAX_TOKENS`. */
  readonly finishReason: string
}

/** What a model has read and written. */
export interface TokensUsed {
  readonly tokensIn: number
  readonly tokensOut: number
}

/** Reads the text out of an answer, whole or piece by piece. An upstream may leave out anything, so nothing is believed. */
export class AnswerText {
  #text = ''
  #finishReason: string | undefined
  #blockReason: string | undefined
  #usage: unknown
  /** How many brought something of the answer. */
  #pieces = 0

  get length(): number {
    return this.#text.length
  }

  add(piece: unknown): void {
    const [candidate] = listAt(piece, 'candidates')
    if (candidate !== undefined) this.#pieces += 1
    // What a model thinks is not what it says.
    for (const part of listAt(at(candidate, 'content'), 'parts'))
      if (at(part, 'thought') !== true) this.#text += textAt(part, 'text') ?? ''
    this.#finishReason = wordAt(candidate, 'finishReason') ?? this.#finishReason
    this.#blockReason = wordAt(at(piece, 'promptFeedback'), 'blockReason') ?? this.#blockReason
    this.#usage = at(piece, 'usageMetadata') ?? this.#usage
    if (this.#text.length > mostText) throw tooLong()
  }

  /** Should it break off here. Most engines tell the usage last; until then each piece has a token at least. */
  usedSoFar(): TokensUsed {
    const { tokensIn, tokensOut } = usedIn(this.#usage)
    return { tokensIn, tokensOut: Math.max(tokensOut, this.#pieces) }
  }

  finish(): TextAnswer {
    if (this.#pieces === 0) throw this.#blockReason === undefined ? noAnswer() : blocked(this.#blockReason)
    return {
      text: this.#text,
      finishReason: this.#finishReason ?? 'FINISH_REASON_UNSPECIFIED',
      ...usedIn(this.#usage),
    }
  }
}

function usedIn(usage: unknown): TokensUsed {
  return {
    tokensIn: countAt(usage, 'promptTokenCount') + countAt(usage, 'toolUsePromptTokenCount'),
    tokensOut: countAt(usage, 'candidatesTokenCount') + countAt(usage, 'thoughtsTokenCount'),
  }
}

/** In characters; the longest answers of the largest models are a tenth of it. */
const mostText = 4 * 1024 * 1024

export function tooLong(): Failure {
  return new Failure('too-large', 'the answer of the model is too long; ask for less with maxOutputTokens')
}

export function noAnswer(cause?: unknown): Failure {
  return new Failure('unavailable', 'the upstream of the model sent no answer that can be read; try again', {
    cause,
    reason: 'upstream_garbage',
  })
}

function blocked(why: string): Failure {
  return new Failure('invalid-request', `the model does not answer this prompt: ${why}; change the prompt`, {
    reason: 'prompt_blocked',
  })
}

function at(value: unknown, name: string): unknown {
  return Reflect.get(Object(value), name)
}

function textAt(value: unknown, name: string): string | undefined {
  const text = at(value, name)
  return typeof text === 'string' ? text : undefined
}

/** Words of the wire are written in capitals; other text has no place where one belongs. */
function wordAt(value: unknown, name: string): string | undefined {
  const text = textAt(value, name)
  return text !== undefined && /^[A-Z][A-Z_]{0,63}$/.test(text) ? text : undefined
}

function countAt(value: unknown, name: string): number {
  const count = at(value, name)
  return typeof count === 'number' && Number.isSafeInteger(count) && count >= 0 ? count : 0
}

function listAt(value: unknown, name: string): readonly unknown[] {
  const list = at(value, name)
  return Array.isArray(list) ? list : []
}
