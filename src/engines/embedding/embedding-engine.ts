import { Failure } from '../../failure/failure.ts'
import type { Embedding, EmbedInput, EngineCall } from '../engine.ts'
import { createThread, threadScript } from '../thread/thread.ts'
import { type EmbeddingEvent, type EmbeddingJob, embeddingSize } from './messages.ts'
import { shortened } from './vector.ts'

/** all-MiniLM-L6-v2 in a worker of its own, which the first call loads. */
export interface TextEmbedder {
  readonly embed: (inputs: readonly EmbedInput[], call: EngineCall) => Promise<readonly Embedding[]>
  readonly idle: () => Promise<void>
  readonly close: () => Promise<void>
}

export interface TextEmbedderOptions {
  /** The name that refusals speak of. */
  readonly model: string
  /** Inputs that may wait; more are refused as overload. */
  readonly waiting?: number
}

/** The model embeds a text in one way only: the task is checked, and changes nothing. */
const taskTypes =
  'TASK_TYPE_UNSPECIFIED RETRIEVAL_QUERY RETRIEVAL_DOCUMENT SEMANTIC_SIMILARITY CLASSIFICATION CLUSTERING QUESTION_ANSWERING FACT_VERIFICATION CODE_RETRIEVAL_QUERY'.split(
    ' ',
  )

export function createTextEmbedder({ model, waiting = 64 }: TextEmbedderOptions): TextEmbedder {
  const thread = createThread<EmbeddingJob, EmbeddingEvent>({
    script: threadScript('worker', import.meta.url),
    setup: () => undefined,
    hasRoom: (_, inFlight) => inFlight.length < waiting,
  })

  async function embedOne(text: string, size: number, signal: AbortSignal): Promise<Embedding> {
    let answer: EmbeddingEvent = { kind: 'refused', problem: 'was not answered' }
    for await (const event of thread.call({ text }, signal)) answer = event
    if (answer.kind === 'refused') throw refusal('content', answer.problem)
    return { values: shortened(answer.values, size), tokenCount: answer.tokens }
  }

  return {
    idle: thread.idle,
    close: thread.close,
    embed: async (inputs, { signal }) => {
      const checked = inputs.map((input) => ({ text: textOf(input, model), size: sizeOf(input) }))
      const embeddings: Embedding[] = []
      for (const { text, size } of checked) embeddings.push(await embedOne(text, size, signal))
      return embeddings
    },
  }
}

function sizeOf({ taskType, outputDimensionality = embeddingSize }: EmbedInput): number {
  if (taskType !== undefined && !taskTypes.includes(taskType))
    throw refusal('taskType', `must be one of ${taskTypes.join(', ')}`)
  if (
    Number.isInteger(outputDimensionality) &&
    outputDimensionality >= 1 &&
    outputDimensionality <= embeddingSize
  )
    return outputDimensionality
  throw refusal(
    'outputDimensionality',
    `must be a whole number from 1 to ${embeddingSize}, not ${outputDimensionality}`,
  )
}

/** A title is read before the text, on a line of its own. */
function textOf({ content: { parts = [] }, title }: EmbedInput, model: string): string {
  const texts = parts.map((part, at) => {
    if (part.text !== undefined) return part.text
    throw refusal(`content.parts[${at}]`, `must be text: the model "${model}" embeds text only`)
  })
  const text = texts.join('')
  if (text.trim() === '') throw refusal('content', 'must not be empty')
  return title === undefined || title === '' ? text : `${title}\n${text}`
}

function refusal(name: string, problem: string): Failure {
  const field = `EmbedContentRequest.${name}`
  return new Failure('invalid-request', `${field} ${problem}`, { field })
}
