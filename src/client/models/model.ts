import { listOf, number, objectOf, optional, type Reader, text } from '../wire-reader.ts'

/** A model as the API describes it; on the enterprise platform little more than its name. */
export interface Model {
  /** `models/…`, or `publishers/google/models/…` on the enterprise platform. */
  readonly name: string
  readonly displayName?: string | undefined
  readonly description?: string | undefined
  readonly version?: string | undefined
  readonly inputTokenLimit?: number | undefined
  readonly outputTokenLimit?: number | undefined
  readonly supportedGenerationMethods?: readonly string[] | undefined
}

export const model: Reader<Model> = objectOf<Model>({
  name: text,
  displayName: optional(text),
  description: optional(text),
  version: optional(text),
  inputTokenLimit: optional(number),
  outputTokenLimit: optional(number),
  supportedGenerationMethods: optional(listOf(text)),
})
