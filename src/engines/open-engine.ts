import type { Config } from '../config/config-schema.ts'
import type { Log } from '../log/log.ts'
import type { Engine } from './engine.ts'
import { createGeminiEngine } from './gemini-engine.ts'
import { createLlamaEngine } from './llama/llama-engine.ts'
import { createOpenaiEngine } from './openai/openai-engine.ts'
import { createStoryEngine } from './story/story-engine.ts'
import { createVertexEngine } from './vertex-engine.ts'

export type ModelConfig = Config['models'][number]

export interface OpenEngineOptions {
  readonly log: Log
  /** Where relative paths of the configuration begin. */
  readonly directory: string
}

/** What answers for a model of the configuration; nothing is loaded or called before it is needed. */
export function openEngine(model: ModelConfig, { log, directory }: OpenEngineOptions): Engine {
  switch (model.engine) {
    case 'story':
      return createStoryEngine({ model: model.name })
    case 'gemini':
      return createGeminiEngine({ ...model.timeouts, ...model, model: model.model ?? model.name })
    case 'vertex':
      return createVertexEngine({ ...model.timeouts, ...model, model: model.model ?? model.name })
    case 'openai':
      return openOpenai(model, log)
    case 'llama':
      return createLlamaEngine({ model: model.name, file: fileIn(directory, model.path) })
  }
}

function openOpenai(model: Extract<ModelConfig, { engine: 'openai' }>, log: Log): Engine {
  const { connectSeconds, firstByteSeconds, idleSeconds } = model.timeouts
  return createOpenaiEngine({
    baseUrl: model.baseUrl,
    model: model.model ?? model.name,
    ...(model.apiKey === undefined ? {} : { apiKey: model.apiKey }),
    dialect: model.dialect,
    limits: { inputTokenLimit: model.inputTokenLimit, outputTokenLimit: model.outputTokenLimit },
    timeouts: {
      connectMs: connectSeconds * 1000,
      firstByteMs: firstByteSeconds * 1000,
      idleMs: idleSeconds * 1000,
    },
    retries: model.retries,
    log,
  })
}

function fileIn(directory: string, path: string): string {
  return absolute.test(path) ? path : `${directory}/${path}`
}

/** Also as Windows writes it. */
const absolute = /^(?:[/\\]|[A-Za-z]:[/\\])/
