import type { Dispatcher } from 'undici'
import type { Log } from '../../log/log.ts'
import type { EngineLimits } from '../engine.ts'
import type { Random } from '../retry-wait.ts'

export interface OpenaiEngineOptions {
  /** Where the server is, including `/v1`. */
  readonly baseUrl: string
  /** The model's name there. */
  readonly model: string
  /** Sent as a bearer token; none is sent unless given. */
  readonly apiKey?: string
  readonly limits?: EngineLimits
  readonly dialect?: Partial<OpenaiDialect>
  readonly timeouts?: Partial<OpenaiTimeouts>
  /** How often a call is tried again before its answer begins; not at all unless given. */
  readonly retries?: number
  readonly random?: Random
  /** Milliseconds that never step. */
  readonly now?: () => number
  /** In place of a pool of its own; it stays open when the engine is closed. */
  readonly dispatcher?: Dispatcher
  readonly log: Log
}

/** Where servers differ. */
export interface OpenaiDialect {
  /** The server reads `top_k` and `reasoning_content`, as vLLM and llama.cpp do. */
  readonly extensions: boolean
  /** OpenAI's reasoning models read only the newer name. */
  readonly maxTokensField: 'max_tokens' | 'max_completion_tokens'
  /** Marks response schemas as strict: OpenAI then enforces them, and refuses those it cannot. */
  readonly strictSchemas: boolean
  /** Fields that the operator chose to leave out where they would be refused. */
  readonly ignored: readonly IgnorableField[]
}

export type IgnorableField = 'topK' | 'thinkingConfig' | 'safetySettings' | 'taskType'

export interface OpenaiTimeouts {
  readonly connectMs: number
  /** Until the head of the answer, which comes last when the answer is not streamed. */
  readonly firstByteMs: number
  /** Between two pieces of the answer. */
  readonly idleMs: number
}

export const plainDialect: OpenaiDialect = {
  extensions: false,
  maxTokensField: 'max_tokens',
  strictSchemas: false,
  ignored: [],
}

export const usualTimeouts: OpenaiTimeouts = { connectMs: 5_000, firstByteMs: 300_000, idleMs: 60_000 }

export const usualLimits: EngineLimits = { inputTokenLimit: 131_072, outputTokenLimit: 8_192 }
