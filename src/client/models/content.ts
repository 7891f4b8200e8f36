import {
  anyObject,
  flag,
  type JsonObject,
  listOf,
  number,
  objectOf,
  optional,
  type Reader,
  text,
} from '../wire-reader.ts'

export interface InlineData {
  readonly mimeType: string
  /** Base64. */
  readonly data: string
}

export interface FunctionCall {
  readonly id?: string | undefined
  readonly name: string
  readonly args?: JsonObject | undefined
}

/** One of its fields says what it is; fields that are not named here are kept as they came. */
export interface Part {
  readonly text?: string | undefined
  readonly thought?: boolean | undefined
  readonly thoughtSignature?: string | undefined
  readonly inlineData?: InlineData | undefined
  readonly fileData?: { readonly mimeType?: string | undefined; readonly fileUri: string } | undefined
  readonly functionCall?: FunctionCall | undefined
  readonly functionResponse?:
    | { readonly id?: string | undefined; readonly name: string; readonly response?: JsonObject | undefined }
    | undefined
}

export interface Content {
  /** `user` or `model`. */
  readonly role?: string | undefined
  readonly parts: readonly Part[]
}

/** A text stands for one content of the user. */
export type GivenContent = string | Content

export function contentOf(given: GivenContent): Content {
  return typeof given === 'string' ? { role: 'user', parts: [{ text: given }] } : given
}

const inlineData = objectOf<InlineData>({ mimeType: text, data: text })
const fileData = objectOf<NonNullable<Part['fileData']>>({ mimeType: optional(text), fileUri: text })
const functionCall = objectOf<FunctionCall>({ id: optional(text), name: text, args: optional(anyObject) })
const functionResponse = objectOf<NonNullable<Part['functionResponse']>>({
  id: optional(text),
  name: text,
  response: optional(anyObject),
})

const part = objectOf<Part>({
  text: optional(text),
  thought: optional(flag),
  thoughtSignature: optional(text),
  inlineData: optional(inlineData),
  fileData: optional(fileData),
  functionCall: optional(functionCall),
  functionResponse: optional(functionResponse),
})

/** Of an answer, where a content without parts leaves them out. */
export interface AnsweredContent {
  readonly role?: string | undefined
  readonly parts?: readonly Part[] | undefined
}

export const answeredContent: Reader<AnsweredContent> = objectOf<AnsweredContent>({
  role: optional(text),
  parts: optional(listOf(part)),
})

export interface Embedding {
  readonly values: readonly number[]
}

export const embedding: Reader<Embedding> = objectOf<Embedding>({ values: listOf(number) })
