/** The Gemini wire in its camelCase form, as far as an engine reads or writes it; every field is optional there too. */

export interface Content {
  readonly role?: string
  readonly parts?: readonly Part[]
}

/** One of the kinds, besides the marks that may stand on any of them. */
export interface Part {
  readonly text?: string
  readonly inlineData?: { readonly mimeType?: string; readonly data?: string }
  readonly fileData?: { readonly mimeType?: string; readonly fileUri?: string }
  readonly functionCall?: FunctionCall
  readonly functionResponse?: FunctionResponse
  readonly executableCode?: unknown
  readonly codeExecutionResult?: unknown
  readonly thought?: boolean
  readonly thoughtSignature?: string
  readonly videoMetadata?: unknown
}

export interface FunctionCall {
  readonly id?: string
  readonly name?: string
  readonly args?: Readonly<Record<string, unknown>>
}

export interface FunctionResponse {
  readonly id?: string
  readonly name?: string
  readonly response?: Readonly<Record<string, unknown>>
}

export interface FunctionDeclaration {
  readonly name?: string
  readonly description?: string
  /** The OpenAPI-like schema with upper-case types. */
  readonly parameters?: unknown
  readonly parametersJsonSchema?: unknown
  readonly response?: unknown
  readonly responseJsonSchema?: unknown
  readonly behavior?: string
}

export interface Tool {
  readonly functionDeclarations?: readonly FunctionDeclaration[]
  readonly googleSearch?: unknown
  readonly googleSearchRetrieval?: unknown
  readonly codeExecution?: unknown
  readonly urlContext?: unknown
  readonly fileSearch?: unknown
  readonly computerUse?: unknown
  readonly googleMaps?: unknown
}

export interface ToolConfig {
  readonly functionCallingConfig?: {
    readonly mode?: string
    readonly allowedFunctionNames?: readonly string[]
  }
  readonly retrievalConfig?: unknown
}

export interface GenerationConfig {
  readonly candidateCount?: number
  readonly stopSequences?: readonly string[]
  readonly maxOutputTokens?: number
  readonly temperature?: number
  readonly topP?: number
  readonly topK?: number
  readonly seed?: number
  readonly responseMimeType?: string
  readonly responseSchema?: unknown
  readonly responseJsonSchema?: unknown
  readonly presencePenalty?: number
  readonly frequencyPenalty?: number
  readonly responseLogprobs?: boolean
  readonly logprobs?: number
  readonly responseModalities?: readonly string[]
  readonly speechConfig?: unknown
  readonly thinkingConfig?: {
    readonly includeThoughts?: boolean
    readonly thinkingBudget?: number
    readonly thinkingLevel?: string
  }
  readonly imageConfig?: unknown
  readonly mediaResolution?: string
  readonly enableEnhancedCivicAnswers?: boolean
}

export interface GenerateRequest {
  readonly contents: readonly Content[]
  readonly systemInstruction?: Content
  readonly tools?: readonly Tool[]
  readonly toolConfig?: ToolConfig
  readonly safetySettings?: readonly { readonly category?: string; readonly threshold?: string }[]
  readonly generationConfig?: GenerationConfig
  readonly cachedContent?: string
}

export type FinishReason =
  | 'STOP'
  | 'MAX_TOKENS'
  | 'SAFETY'
  | 'RECITATION'
  | 'LANGUAGE'
  | 'OTHER'
  | 'BLOCKLIST'
  | 'PROHIBITED_CONTENT'
  | 'SPII'
  | 'MALFORMED_FUNCTION_CALL'
  | 'UNEXPECTED_TOOL_CALL'

export interface Candidate {
  readonly index: number
  /** Absent on a last piece that only says how it ended. */
  readonly content?: { readonly role: 'model'; readonly parts: readonly Part[] }
  readonly finishReason?: FinishReason
  readonly finishMessage?: string
  readonly avgLogprobs?: number
  readonly logprobsResult?: unknown
}

export interface UsageMetadata {
  readonly promptTokenCount: number
  readonly candidatesTokenCount?: number
  readonly thoughtsTokenCount?: number
  readonly cachedContentTokenCount?: number
  readonly toolUsePromptTokenCount?: number
  readonly totalTokenCount: number
  readonly promptTokensDetails?: readonly { readonly modality: string; readonly tokenCount: number }[]
}

/** One piece of an answer: a whole answer is one or many of them. The last one carries the usage; those before it may tell what is known so far. */
export interface AnswerPiece {
  readonly candidates: readonly Candidate[]
  readonly usageMetadata?: UsageMetadata
  readonly promptFeedback?: { readonly blockReason: string }
}
