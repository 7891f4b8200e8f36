import type { Embedding, Engine, Operation, TokenCount } from '../engines/engine.ts'

export function countAnswer({ totalTokens, cachedContentTokenCount }: TokenCount): object {
  return { totalTokens, ...(cachedContentTokenCount === undefined ? {} : { cachedContentTokenCount }) }
}

export function embedAnswer({ values }: Embedding): object {
  return { embedding: { values } }
}

export function batchEmbedAnswer(embeddings: readonly Embedding[]): object {
  return { embeddings: embeddings.map(({ values }) => ({ values })) }
}

/** The answer of Vertex AI to `embedContent`. */
export function vertexEmbedAnswer({ values, tokenCount }: Embedding): object {
  return {
    embedding: { values },
    usageMetadata: { promptTokenCount: tokenCount, totalTokenCount: tokenCount },
    truncated: false,
  }
}

/** The answer of Vertex AI to `predict`; its statistics are in snake_case. */
export function predictAnswer(embeddings: readonly Embedding[]): object {
  return {
    predictions: embeddings.map(({ values, tokenCount }) => ({
      embeddings: { values, statistics: { token_count: tokenCount, truncated: false } },
    })),
  }
}

export interface ListedModel {
  /** As callers ask for it, without `models/`. */
  readonly name: string
  readonly engine: Pick<Engine, 'operations' | 'limits' | 'version'>
  readonly displayName?: string
  readonly description?: string
  readonly temperature?: number
  readonly maxTemperature?: number
  readonly topP?: number
  readonly topK?: number
}

export function modelAnswer(model: ListedModel): object {
  const { name, engine, displayName = name, ...optional } = model
  const { description, temperature, maxTemperature, topP, topK } = optional
  return {
    name: `models/${name}`,
    baseModelId: name,
    version: engine.version,
    displayName,
    ...(description === undefined ? {} : { description }),
    inputTokenLimit: engine.limits.inputTokenLimit,
    outputTokenLimit: engine.limits.outputTokenLimit,
    supportedGenerationMethods: operations.filter((operation) => engine.operations.has(operation)),
    ...(temperature === undefined ? {} : { temperature }),
    ...(maxTemperature === undefined ? {} : { maxTemperature }),
    ...(topP === undefined ? {} : { topP }),
    ...(topK === undefined ? {} : { topK }),
  }
}

/** The same model in the list of Vertex AI's publisher. */
export function publisherModelAnswer({ name, engine, displayName = name, description }: ListedModel): object {
  return {
    name: `publishers/google/models/${name}`,
    versionId: engine.version,
    displayName,
    ...(description === undefined ? {} : { description }),
    launchStage: 'GA',
  }
}

/** In the order in which they are shown. */
const operations: readonly Operation[] = [
  'generateContent',
  'streamGenerateContent',
  'countTokens',
  'embedContent',
  'batchEmbedContents',
]
