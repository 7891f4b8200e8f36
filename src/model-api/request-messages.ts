import type { Content, GenerateRequest } from '../engines/content.ts'
import { anything, choice, flag, int32, type Kind, struct, text } from './json-kinds.ts'
import { list, message } from './json-message.ts'
import { generationConfig, safetySettings } from './request-config.ts'
import { content } from './request-content.ts'
import { tool, toolConfig } from './request-tools.ts'

/** A request as it came: `contents` may be missing, and it may name its model once more. */
export interface GenerateMessage extends Partial<GenerateRequest> {
  readonly model?: string
}

const generateFields = {
  model: text,
  contents: list(content),
  systemInstruction: content,
  tools: list(tool),
  toolConfig,
  safetySettings,
  generationConfig,
  cachedContent: text,
  labels: struct,
  serviceTier: text,
  store: flag,
  continuationToken: text,
  modelArmorConfig: struct,
  outputConfig: struct,
} as const

export const generateMessage: Kind<GenerateMessage> = message('GenerateContentRequest', generateFields)

export interface CountMessage extends GenerateMessage {
  readonly generateContentRequest?: GenerateMessage
}

/** The Gemini form has `contents` or a whole request; the Vertex form spreads the request out. */
export const countMessage: Kind<CountMessage> = message('CountTokensRequest', {
  ...generateFields,
  generateContentRequest: generateMessage,
})

interface EmbedOptions {
  readonly taskType?: string
  readonly title?: string
  readonly outputDimensionality?: number
  readonly autoTruncate?: boolean
  readonly documentOcr?: boolean
  readonly audioTrackExtraction?: boolean
}

export interface EmbedMessage extends EmbedOptions {
  readonly model?: string
  readonly content?: Content
  readonly embedContentConfig?: EmbedOptions
}

const taskType = choice(
  'TaskType',
  [
    'TASK_TYPE_UNSPECIFIED',
    'RETRIEVAL_QUERY',
    'RETRIEVAL_DOCUMENT',
    'SEMANTIC_SIMILARITY',
    'CLASSIFICATION',
    'CLUSTERING',
    'QUESTION_ANSWERING',
    'FACT_VERIFICATION',
    'CODE_RETRIEVAL_QUERY',
  ],
  true,
)

const embedFields = {
  taskType,
  title: text,
  outputDimensionality: int32,
  autoTruncate: flag,
  documentOcr: flag,
  audioTrackExtraction: flag,
} as const

export const embedMessage: Kind<EmbedMessage> = message('EmbedContentRequest', {
  model: text,
  content,
  ...embedFields,
  embedContentConfig: message('EmbedContentConfig', embedFields),
})

export interface BatchEmbedMessage {
  readonly model?: string
  readonly requests?: readonly EmbedMessage[]
}

export const batchEmbedMessage: Kind<BatchEmbedMessage> = message('BatchEmbedContentsRequest', {
  model: text,
  requests: list(embedMessage),
})

export interface PredictMessage {
  readonly instances?: readonly {
    readonly content?: string
    readonly taskType?: string
    readonly title?: string
    readonly mimeType?: string
  }[]
  readonly parameters?: { readonly autoTruncate?: boolean; readonly outputDimensionality?: number }
}

/** Vertex AI's older way to embed. */
export const predictMessage: Kind<PredictMessage> = message('PredictRequest', {
  instances: list(
    message('PredictRequest.Instance', { content: text, taskType, title: text, mimeType: text }),
  ),
  parameters: message('PredictRequest.Parameters', { autoTruncate: flag, outputDimensionality: int32 }),
  labels: anything,
})
