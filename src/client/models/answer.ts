import { anyObject, listOf, number, objectOf, optional, type Reader, text } from '../wire-reader.ts'
import { type AnsweredContent, answeredContent, type FunctionCall } from './content.ts'

export interface Candidate {
  readonly index?: number | undefined
  readonly content?: AnsweredContent | undefined
  /** `STOP`, `MAX_TOKENS`, `SAFETY`, …; absent while more is to come. */
  readonly finishReason?: string | undefined
}

export interface Usage {
  readonly promptTokenCount?: number | undefined
  readonly candidatesTokenCount?: number | undefined
  readonly thoughtsTokenCount?: number | undefined
  readonly totalTokenCount?: number | undefined
}

interface WireAnswer {
  readonly candidates?: readonly Candidate[] | undefined
  readonly promptFeedback?: { readonly blockReason?: string | undefined } | undefined
  readonly usageMetadata?: Usage | undefined
  readonly modelVersion?: string | undefined
  readonly responseId?: string | undefined
}

/** An answer or, in a stream, a piece of one; fields that are not named here are kept as they came. */
export interface Answer extends WireAnswer {
  readonly candidates: readonly Candidate[]
  /** Of the first candidate, without its thoughts. */
  readonly text: string
  /** What the first candidate wants called. */
  readonly functionCalls: readonly FunctionCall[]
}

const candidate = objectOf<Candidate>({
  index: optional(number),
  content: optional(answeredContent),
  finishReason: optional(text),
})

const usage = objectOf<Usage>({
  promptTokenCount: optional(number),
  candidatesTokenCount: optional(number),
  thoughtsTokenCount: optional(number),
  totalTokenCount: optional(number),
})

const wireAnswer = objectOf<WireAnswer>({
  candidates: optional(listOf(candidate)),
  promptFeedback: optional(objectOf<{ blockReason?: string | undefined }>({ blockReason: optional(text) })),
  usageMetadata: optional(usage),
  modelVersion: optional(text),
  responseId: optional(text),
})

export const answer: Reader<Answer> = (value, path) => {
  const given = wireAnswer(value, path)
  const candidates = given.candidates ?? []
  const parts = candidates[0]?.content?.parts ?? []
  return {
    ...given,
    candidates,
    text: parts.map((part) => (part.thought === true ? '' : (part.text ?? ''))).join(''),
    functionCalls: parts.map((part) => part.functionCall).filter((call) => call !== undefined),
  }
}

export interface TokenCount {
  readonly totalTokens: number
  readonly cachedContentTokenCount?: number | undefined
}

/** Zero is left out by protocol-buffer JSON. */
export const tokenCount: Reader<TokenCount> = (value, path) => {
  const given = anyObject(value, path)
  const whole = { ...given, totalTokens: given.totalTokens ?? 0 }
  return objectOf<TokenCount>({ totalTokens: number, cachedContentTokenCount: optional(number) })(whole, path)
}
