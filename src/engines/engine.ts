import type { Failure } from '../failure/failure.ts'
import type { AnswerPiece, Content, GenerateRequest } from './content.ts'
import type { Presence } from './presence.ts'

/** What answers a generation. Engines fail with a Failure; its code says what the caller may do about it. */
export type Engine = PieceEngine | WireEngine

export interface EngineLimits {
  readonly inputTokenLimit: number
  readonly outputTokenLimit: number
}

export type Operation =
  | 'generateContent'
  | 'streamGenerateContent'
  | 'countTokens'
  | 'embedContent'
  | 'batchEmbedContents'

interface AnyEngine {
  /** The operations it can serve. */
  readonly operations: ReadonlySet<Operation>
  readonly limits: EngineLimits
  /** The version that answers name, such as `stories15M` or the upstream's model. */
  readonly version: string
  readonly close: () => Promise<void>
}

/** Understands the request and writes its answer in pieces. */
export interface PieceEngine extends AnyEngine {
  readonly kind: 'pieces'
  /** The first piece comes as soon as there is text; aborting the signal ends the work within 100 ms. */
  readonly generate: (request: GenerateRequest, call: EngineCall) => AsyncIterable<AnswerPiece>
  /** Counts with the tokenizer of the model; never generates. */
  readonly countTokens: (request: GenerateRequest, call: EngineCall) => Promise<TokenCount>
  readonly embed: (inputs: readonly EmbedInput[], call: EngineCall) => Promise<readonly Embedding[]>
}

export interface TokenCount {
  readonly totalTokens: number
  readonly cachedContentTokenCount?: number
}

export interface EmbedInput {
  readonly content: Content
  readonly taskType?: string
  readonly title?: string
  readonly outputDimensionality?: number
}

export interface Embedding {
  readonly values: readonly number[]
  readonly tokenCount: number
}

export interface EngineCall {
  readonly signal: AbortSignal
  readonly requestId: string
  /** False when the caller takes the answer whole, so that an engine need not stream it. */
  readonly isStream?: boolean
}

/** Speaks the Gemini wire itself: bytes go through as they are; of an answer only the usage at its end is read. */
export interface WireEngine extends AnyEngine {
  readonly kind: 'wire'
  readonly forward: (call: WireCall, sink: WireSink) => void
}

export interface WireCall {
  readonly caller: Presence
  readonly requestId: string
  readonly operation: Operation
  /** `sse`, or a JSON array when a stream is asked for without it. */
  readonly framing: 'sse' | 'json'
  /** The body as it came. */
  readonly body: Uint8Array | string
  /** As the caller calls the model: by its name, by an alias, or by that of the model it stands in for. */
  readonly modelName?: string
}

/** Where the bytes of an answer go; `head` comes first and once, and after `end` or `fail` nothing more. */
export interface WireSink {
  readonly head: (head: WireHead) => void
  /** Answers whether to go on; after `false` nothing comes until `resume` of the head was called. */
  readonly data: (bytes: Uint8Array) => boolean
  readonly end: (usage: WireUsage | undefined) => void
  /** Before `head`: nothing was sent yet. After it: the answer is cut. `usage` is what was seen until then. */
  readonly fail: (failure: Failure, usage: WireUsage | undefined) => void
}

export interface WireHead {
  readonly status: number
  readonly contentType: string
  /** In bytes, when the upstream said so. */
  readonly length: string | undefined
  readonly retryAfter: string | undefined
  readonly resume: () => void
  /** Nothing more of this answer is wanted: neither data nor an end comes after it. */
  readonly drop: () => void
}

/** What the answer itself says was used. */
export interface WireUsage {
  readonly promptTokens: number
  readonly outputTokens: number
}
