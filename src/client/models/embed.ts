import { listOf, objectOf, type Reader } from '../wire-reader.ts'
import { contentOf, type Embedding, embedding, type GivenContent } from './content.ts'
import { modelName, operationUrl } from './model-path.ts'
import type { ModelTransport } from './model-transport.ts'
import type { Place } from './resolve-place.ts'

export interface EmbedOptions {
  /** `RETRIEVAL_QUERY`, `RETRIEVAL_DOCUMENT`, `SEMANTIC_SIMILARITY`, … */
  readonly taskType?: string | undefined
  readonly title?: string | undefined
  readonly outputDimensionality?: number | undefined
  readonly signal?: AbortSignal | undefined
}

export interface EmbedOrder {
  readonly model: string
  readonly contents: readonly GivenContent[]
  readonly options: EmbedOptions
}

/** One embedding for each content, in their order. */
export async function embedAll(
  transport: ModelTransport,
  place: Place,
  order: EmbedOrder,
): Promise<readonly Embedding[]> {
  if (order.contents.length === 0) return []
  if (place.platform === 'gemini') return batches(transport, place, order)
  const one = isPredicted.test(order.model) ? predict : embedContent
  const embeddings: Embedding[] = []
  // The enterprise platform has no such batches, and some of its models take one content at a time.
  for (const content of order.contents)
    embeddings.push(await one(transport, place, { ...order, contents: [content] }))
  return embeddings
}

/** Older models of the enterprise platform have an operation of their own for it. */
const isPredicted = /(?:^|\/)(?:text-(?:multilingual-)?embedding-|gemini-embedding-001$)/

/** As many as the API takes at once. */
const batchSize = 100

async function batches(
  transport: ModelTransport,
  place: Place,
  order: EmbedOrder,
): Promise<readonly Embedding[]> {
  const embeddings: Embedding[] = []
  for (let from = 0; from < order.contents.length; from += batchSize) {
    const contents = order.contents.slice(from, from + batchSize)
    embeddings.push(...(await batch(transport, place, { ...order, contents })))
  }
  return embeddings
}

async function batch(
  transport: ModelTransport,
  place: Place,
  { model, contents, options: { signal, ...options } }: EmbedOrder,
): Promise<readonly Embedding[]> {
  const url = operationUrl(place, model, 'batchEmbedContents')
  const requests = contents.map((content) => ({
    model: modelName(place, model),
    content: contentOf(content),
    ...options,
  }))
  return batchAnswer(await transport.json({ url, body: { requests }, signal }), '').embeddings
}

const batchAnswer: Reader<{ readonly embeddings: readonly Embedding[] }> = objectOf<{
  readonly embeddings: readonly Embedding[]
}>({ embeddings: listOf(embedding) })

async function embedContent(
  transport: ModelTransport,
  place: Place,
  { model, contents, options: { signal, ...options } }: EmbedOrder,
): Promise<Embedding> {
  const url = operationUrl(place, model, 'embedContent')
  const [content = ''] = contents
  const body = { content: contentOf(content), ...options }
  return embedAnswer(await transport.json({ url, body, signal }), '').embedding
}

const embedAnswer: Reader<{ readonly embedding: Embedding }> = objectOf<{ readonly embedding: Embedding }>({
  embedding,
})

async function predict(
  transport: ModelTransport,
  place: Place,
  { model, contents, options }: EmbedOrder,
): Promise<Embedding> {
  const { taskType, title, outputDimensionality, signal } = options
  const url = operationUrl(place, model, 'predict')
  const [content = ''] = contents
  const words = contentOf(content).parts.map(({ text = '' }) => text)
  const instance = { content: words.join(''), task_type: taskType, title }
  const body = { instances: [instance], parameters: { outputDimensionality } }
  const { predictions } = predictAnswer(await transport.json({ url, body, signal }), '')
  return predictions[0]?.embeddings ?? { values: [] }
}

interface PredictAnswer {
  readonly predictions: readonly { readonly embeddings: Embedding }[]
}

const predictAnswer: Reader<PredictAnswer> = objectOf<PredictAnswer>({
  predictions: listOf(objectOf<{ readonly embeddings: Embedding }>({ embeddings: embedding })),
})
