/** The call that failed, as far as it was understood by then. */
export interface FailedCall {
  /** As the path spells it after the colon, or the name of a method such as `getModel`. */
  readonly operation?: string
  /** The version in the path, `v1beta` unless set. */
  readonly version?: string
  /** The model or other thing the path names: `models/tiny`, `publishers/google/models/tiny`. */
  readonly resource?: string
  /** An error before the first byte of a stream without SSE stands in a list. */
  readonly framing?: Framing
  /** Where the call came from: worked out when it is asked for. */
  readonly from?: () => { readonly address: string }
  /** What the operation would have needed. */
  readonly scopes?: readonly string[]
  readonly requestId?: string
}

/** One JSON, server-sent events, or a JSON list that grows. */
export type Framing = 'whole' | 'sse' | 'array'

/** The full name of the method that was called, where the call is known. */
export function methodName(call: FailedCall): string | undefined {
  const { operation, version = 'v1beta' } = call
  if (operation === undefined) return undefined
  const name = operation.charAt(0).toUpperCase() + operation.slice(1)
  if (isVertex(call)) return `google.cloud.aiplatform.${version}.${vertexPart(operation)}.${name}`
  const part = parts.find(([operations]) => operations.test(operation))?.[1]
  return part === undefined ? undefined : `google.ai.generativelanguage.${version}.${part}.${name}`
}

/** Whether the path is one of Vertex AI. */
export function isVertex({ resource = '' }: FailedCall): boolean {
  return resource.startsWith('projects/') || resource.startsWith('publishers/')
}

const parts: readonly (readonly [RegExp, string])[] = [
  [/^(?:generate|streamGenerate|count|embed|batchEmbed)/, 'GenerativeService'],
  [/^(?:list|get)(?:Tuned)?Models?$/, 'ModelService'],
  [/Files?$/, 'FileService'],
  [/CachedContents?$/, 'CacheService'],
  [/(?:Corpus|Corpora|Documents?|Chunks?)$/, 'RetrieverService'],
]

function vertexPart(operation: string): string {
  if (/Models?$/.test(operation)) return 'ModelGardenService'
  return operation === 'countTokens' ? 'LlmUtilityService' : 'PredictionService'
}
