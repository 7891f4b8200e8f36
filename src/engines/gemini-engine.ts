import type { UpstreamRight } from '../config/upstream-rights.ts'
import { Failure } from '../failure/failure.ts'
import type { EngineLimits, Operation, WireCall, WireEngine } from './engine.ts'
import { prepareBodies } from './upstream-rights.ts'
import { tryRepeatedly } from './wire-attempts.ts'
import { createWireUpstream, type WireUpstreamOptions } from './wire-upstream.ts'

export interface GeminiOptions extends Omit<WireUpstreamOptions, 'origin'> {
  /** Where the API is, with or without a path before `/v1beta`. */
  readonly baseUrl?: string
  /** Its name there. */
  readonly model: string
  readonly apiKey: string
  /** How often a call is tried again before its answer begins. */
  readonly retries: number
  /** What callers may have the upstream do with our key, besides answering. */
  readonly allow?: readonly UpstreamRight[]
}

/** A model of the Gemini API: our key, the caller's bytes. */
export function createGeminiEngine(options: GeminiOptions): WireEngine {
  const { origin, pathname } = new URL(options.baseUrl ?? 'https://generativelanguage.googleapis.com')
  const upstream = createWireUpstream({ ...options, origin })
  const prefix = `${pathname.replace(/\/+$/, '')}/v1beta/models/${encodeURIComponent(options.model)}:`
  const prepare = prepareBodies(options)
  const headers = ['content-type', 'application/json', 'x-goog-api-key', options.apiKey]
  return {
    kind: 'wire',
    operations: geminiOperations,
    limits: geminiLimits,
    version: options.model,
    close: upstream.close,
    forward: (call, sink) => {
      const body = prepare(call)
      if (body instanceof Failure) {
        sink.fail(body, undefined)
        return
      }
      const order = { path: prefix + pathEnd(call), headers, body, caller: call.caller }
      tryRepeatedly({ upstream, order }, options, sink)
    },
  }
}

/** The operation as it stands at the end of a path. */
export function pathEnd({ operation, framing }: Pick<WireCall, 'operation' | 'framing'>): string {
  return operation === 'streamGenerateContent' && framing === 'sse' ? `${operation}?alt=sse` : operation
}

const geminiOperations: ReadonlySet<Operation> = new Set<Operation>([
  'generateContent',
  'streamGenerateContent',
  'countTokens',
  'embedContent',
  'batchEmbedContents',
])

/** What the largest models of the API take; the upstream refuses what is too much for the one that is asked. */
export const geminiLimits: EngineLimits = { inputTokenLimit: 1_048_576, outputTokenLimit: 65_536 }
