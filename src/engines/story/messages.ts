import type { FinishReason } from '../content.ts'
import type { SamplingRules } from './sampler.ts'
import type { SchemaNode } from './schema-node.ts'

/** What the worker is asked for. */
export type StoryJob =
  | { readonly kind: 'count'; readonly prompt: string }
  | { readonly kind: 'generate'; readonly writing: Writing }

export interface Writing {
  readonly prompt: string
  readonly candidateCount: number
  readonly maxOutputTokens: number
  readonly stopSequences: readonly string[]
  readonly rules: SamplingRules
  readonly seed: number
  readonly form: Form
}

/** The form that the answer has to take. */
export type Form =
  | { readonly kind: 'text' }
  | { readonly kind: 'json'; readonly schema: SchemaNode }
  /** One of these texts as it is, without quotes. */
  | { readonly kind: 'choice'; readonly texts: readonly string[] }
  | { readonly kind: 'call'; readonly functions: readonly CallableFunction[] }

export interface CallableFunction {
  readonly name: string
  readonly parameters: SchemaNode
}

/** What the worker answers; `begun` is the first of a generation, `counted` and `done` are the last. */
export type StoryEvent =
  | { readonly kind: 'begun'; readonly promptTokens: number }
  | { readonly kind: 'text'; readonly candidate: number; readonly text: string }
  | {
      readonly kind: 'end'
      readonly candidate: number
      readonly text: string
      readonly finishReason: FinishReason
      readonly call?: { readonly name: string; readonly args: Readonly<Record<string, unknown>> }
    }
  | { readonly kind: 'done'; readonly promptTokens: number; readonly outputTokens: number }
  | { readonly kind: 'counted'; readonly tokens: number }

/** What the worker is started with. */
export interface StorySetup {
  readonly weights: string
  /** How many generations take turns; the others wait. */
  readonly running: number
}
