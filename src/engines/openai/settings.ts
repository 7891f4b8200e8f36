import type { GenerationConfig } from '../content.ts'
import { fromJsonSchema } from './json-schema.ts'
import type { ImageDetail } from './media.ts'
import type { OpenaiDialect } from './options.ts'
import { fromGeminiSchema } from './schema.ts'
import { reasoningEffort } from './thinking.ts'
import { refuseOthers, untranslatable } from './untranslatable.ts'
import type { JsonObject } from './values.ts'

const root = 'GenerateContentRequest.generationConfig'

/** What the OpenAI wire calls each setting; a field without a row is refused by name. */
export function settingFields(config: GenerationConfig, dialect: OpenaiDialect): JsonObject {
  refuseOthers(config, root, Object.keys(rows))
  const fields: Record<string, unknown> = {}
  for (const [name, row] of Object.entries<Row>(rows)) {
    if (Reflect.get(config, name) !== undefined) Object.assign(fields, row(config, dialect))
  }
  return fields
}

/** How closely images are looked at. */
export function imageDetail({
  mediaResolution = unspecifiedResolution,
}: GenerationConfig): ImageDetail | undefined {
  if (!details.has(mediaResolution))
    throw untranslatable(
      `${root}.mediaResolution`,
      'must be MEDIA_RESOLUTION_LOW or MEDIA_RESOLUTION_HIGH here',
    )
  return details.get(mediaResolution)
}

const unspecifiedResolution = 'MEDIA_RESOLUTION_UNSPECIFIED'

const details: ReadonlyMap<string, ImageDetail | undefined> = new Map([
  [unspecifiedResolution, undefined],
  ['MEDIA_RESOLUTION_LOW', 'low'],
  ['MEDIA_RESOLUTION_HIGH', 'high'],
])

type Row = (config: GenerationConfig, dialect: OpenaiDialect) => JsonObject

type SettingName = Exclude<keyof GenerationConfig, 'speechConfig' | 'imageConfig'>

const rows = {
  temperature: ({ temperature }) => ({ temperature }),
  topP: ({ topP }) => ({ top_p: topP }),
  topK: ({ topK }, { extensions }) => {
    if (extensions) return { top_k: topK }
    throw untranslatable(`${root}.topK`, 'the OpenAI wire has no top_k; leave it out')
  },
  seed: ({ seed }) => ({ seed }),
  maxOutputTokens: ({ maxOutputTokens }, { maxTokensField }) => ({ [maxTokensField]: maxOutputTokens }),
  stopSequences: ({ stopSequences = [] }) => (stopSequences.length === 0 ? {} : { stop: stopSequences }),
  candidateCount: ({ candidateCount = 1 }) => (candidateCount === 1 ? {} : { n: candidateCount }),
  presencePenalty: ({ presencePenalty }) => ({ presence_penalty: presencePenalty }),
  frequencyPenalty: ({ frequencyPenalty }) => ({ frequency_penalty: frequencyPenalty }),
  responseLogprobs: ({ responseLogprobs }) => (responseLogprobs === true ? { logprobs: true } : {}),
  logprobs: ({ logprobs, responseLogprobs }) => {
    if (responseLogprobs === true) return { top_logprobs: logprobs }
    throw untranslatable(`${root}.logprobs`, 'goes only with responseLogprobs: true')
  },
  responseMimeType: responseFormat,
  responseSchema: needsJson('responseSchema'),
  responseJsonSchema: needsJson('responseJsonSchema'),
  responseModalities: ({ responseModalities = [] }) => {
    if (responseModalities.every((modality) => modality.toUpperCase() === 'TEXT')) return {}
    throw untranslatable(`${root}.responseModalities`, 'only TEXT can be answered here')
  },
  thinkingConfig: ({ thinkingConfig = {} }) => {
    const effort = reasoningEffort(thinkingConfig, `${root}.thinkingConfig`)
    return effort === undefined ? {} : { reasoning_effort: effort }
  },
  mediaResolution: (config) => {
    imageDetail(config)
    return {}
  },
  enableEnhancedCivicAnswers: ({ enableEnhancedCivicAnswers }) => {
    if (enableEnhancedCivicAnswers === false) return {}
    throw untranslatable(
      `${root}.enableEnhancedCivicAnswers`,
      'the server behind this model has nothing like it',
    )
  },
} as const satisfies Record<SettingName, Row>

function responseFormat(config: GenerationConfig, { strictSchemas }: OpenaiDialect): JsonObject {
  const { responseMimeType, responseSchema, responseJsonSchema } = config
  if (responseMimeType === 'text/plain' || responseMimeType === '') return {}
  if (responseMimeType !== 'application/json')
    throw untranslatable(`${root}.responseMimeType`, 'must be text/plain or application/json here')
  if (responseSchema !== undefined && responseJsonSchema !== undefined)
    throw untranslatable(
      `${root}.responseJsonSchema`,
      'must not stand beside responseSchema; keep one of the two',
    )
  if (responseSchema === undefined && responseJsonSchema === undefined)
    return { response_format: { type: 'json_object' } }
  const schema =
    responseSchema === undefined
      ? fromJsonSchema(responseJsonSchema, `${root}.responseJsonSchema`)
      : fromGeminiSchema(responseSchema, `${root}.responseSchema`)
  const format = { name: 'response', schema, ...(strictSchemas && { strict: true }) }
  return { response_format: { type: 'json_schema', json_schema: format } }
}

/** The schema itself is sent along with the media type. */
function needsJson(name: 'responseSchema' | 'responseJsonSchema'): Row {
  return ({ responseMimeType }) => {
    if (responseMimeType === 'application/json') return {}
    throw untranslatable(`${root}.${name}`, 'goes only with responseMimeType: application/json')
  }
}
