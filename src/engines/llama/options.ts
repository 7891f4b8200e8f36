import { Failure } from '../../failure/failure.ts'
import type { GenerateRequest, GenerationConfig } from '../content.ts'
import { refuseOthers, untranslatable } from '../openai/untranslatable.ts'
import { grammarSchema } from './grammar-schema.ts'

interface Sampling {
  readonly temperature: number
  readonly topP: number
  readonly topK: number
  readonly seed?: number
  readonly customStopTriggers: readonly string[]
  readonly repeatPenalty: false | { readonly frequencyPenalty: number; readonly presencePenalty: number }
}

export type AnswerForm = 'text' | 'json' | { readonly schema: Readonly<Record<string, unknown>> }

export interface LlamaOptions {
  readonly sampling: Sampling
  readonly maxOutputTokens: number | undefined
  readonly form: AnswerForm
  readonly wantsThoughts: boolean
}

/** What the request asks for beside its contents; what the engine cannot do is refused by its name. */
export function optionsOf(request: GenerateRequest): LlamaOptions {
  refuseOthers(request, 'request', ['contents', 'systemInstruction', 'generationConfig', 'safetySettings'])
  const config = request.generationConfig ?? {}
  refuseOthers(config, 'generationConfig', known)
  const { candidateCount = 1, maxOutputTokens, thinkingConfig } = config
  if (candidateCount !== 1)
    throw untranslatable('generationConfig.candidateCount', 'this model gives one candidate')
  if (maxOutputTokens !== undefined && !(Number.isInteger(maxOutputTokens) && maxOutputTokens > 0))
    throw untranslatable('generationConfig.maxOutputTokens', 'must be a whole number above 0')
  return {
    sampling: samplingOf(config),
    maxOutputTokens,
    form: formOf(config),
    wantsThoughts: thinkingConfig?.includeThoughts === true,
  }
}

const known: readonly (keyof GenerationConfig)[] = [
  'candidateCount',
  'stopSequences',
  'maxOutputTokens',
  'temperature',
  'topP',
  'topK',
  'seed',
  'responseMimeType',
  'responseSchema',
  'responseJsonSchema',
  'presencePenalty',
  'frequencyPenalty',
  'thinkingConfig',
]

/** The defaults are those of llama.cpp. */
function samplingOf(config: GenerationConfig): Sampling {
  const { temperature = 0.8, topP = 0.95, topK = 40, seed, stopSequences = [] } = config
  const { presencePenalty = 0, frequencyPenalty = 0 } = config
  inRange('temperature', temperature, [0, 2])
  inRange('topP', topP, [0, 1])
  inRange('topK', topK, [1, 1_000_000])
  if (stopSequences.length > 5 || stopSequences.includes(''))
    throw untranslatable('generationConfig.stopSequences', 'must be at most 5, and none of them empty')
  return {
    temperature,
    topP,
    topK,
    ...(seed === undefined ? {} : { seed: seed >>> 0 }),
    customStopTriggers: stopSequences,
    repeatPenalty:
      presencePenalty === 0 && frequencyPenalty === 0 ? false : { presencePenalty, frequencyPenalty },
  }
}

function inRange(name: string, value: number, [from, to]: readonly [number, number]): void {
  if (value >= from && value <= to) return
  throw untranslatable(`generationConfig.${name}`, `must be from ${from} to ${to}, not ${value}`)
}

function formOf({ responseMimeType, responseSchema, responseJsonSchema }: GenerationConfig): AnswerForm {
  const name = responseSchema === undefined ? 'responseJsonSchema' : 'responseSchema'
  const schema = responseSchema ?? responseJsonSchema
  if (responseMimeType === 'application/json')
    return schema === undefined ? 'json' : { schema: grammarSchema(schema, name) }
  if (schema !== undefined)
    throw untranslatable(`generationConfig.${name}`, 'needs responseMimeType application/json')
  if (responseMimeType === undefined || responseMimeType === '' || responseMimeType === 'text/plain')
    return 'text'
  throw new Failure('invalid-request', 'responseMimeType must be text/plain or application/json', {
    field: 'generationConfig.responseMimeType',
  })
}
