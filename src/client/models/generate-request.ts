import type { JsonObject } from '../wire-reader.ts'
import { type Content, contentOf, type GivenContent } from './content.ts'

/** Fields that are not named here are sent as they are. */
export interface GenerationConfig {
  readonly maxOutputTokens?: number | undefined
  readonly temperature?: number | undefined
  readonly topP?: number | undefined
  readonly topK?: number | undefined
  readonly seed?: number | undefined
  readonly candidateCount?: number | undefined
  readonly stopSequences?: readonly string[] | undefined
  readonly responseMimeType?: string | undefined
  readonly responseSchema?: JsonObject | undefined
  readonly responseJsonSchema?: JsonObject | undefined
  readonly [field: string]: unknown
}

export interface GenerateRequest {
  readonly contents: string | readonly Content[]
  readonly systemInstruction?: GivenContent | undefined
  readonly generationConfig?: GenerationConfig | undefined
  readonly tools?: readonly JsonObject[] | undefined
  readonly toolConfig?: JsonObject | undefined
  readonly safetySettings?: readonly JsonObject[] | undefined
  readonly cachedContent?: string | undefined
}

/** A text stands for a request with that text alone. */
export type GivenRequest = string | GenerateRequest

export function generateBody(given: GivenRequest): JsonObject {
  const { contents, systemInstruction, ...rest } = requestOf(given)
  return {
    contents: contentsOf(contents),
    ...(systemInstruction === undefined ? {} : { systemInstruction: contentOf(systemInstruction) }),
    ...rest,
  }
}

/** What is counted of more than contents has another form on the two platforms. */
export function countBody(given: GivenRequest, { platform, model }: CountedBy): JsonObject {
  const body = generateBody(given)
  const isPlain = Object.keys(body).every((name) => name === 'contents')
  if (isPlain || platform === 'vertex') return body
  return { generateContentRequest: { model, ...body } }
}

export interface CountedBy {
  readonly platform: 'gemini' | 'vertex'
  readonly model: string
}

function requestOf(given: GivenRequest): GenerateRequest {
  return typeof given === 'string' ? { contents: given } : given
}

function contentsOf(contents: GenerateRequest['contents']): readonly Content[] {
  return typeof contents === 'string' ? [contentOf(contents)] : contents
}
