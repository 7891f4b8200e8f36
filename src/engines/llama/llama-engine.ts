import { Failure } from '../../failure/failure.ts'
import type { EngineLimits, Operation, PieceEngine } from '../engine.ts'
import { generatePieces } from './generation.ts'
import { historyOf } from './history.ts'
import { requireLibrary } from './library.ts'
import { type LoadedModel, loadModel } from './loaded-model.ts'
import { optionsOf } from './options.ts'
import { createTurns } from './turns.ts'

export interface LlamaEngineOptions {
  /** The name that refusals speak of. */
  readonly model: string
  /** The GGUF file. */
  readonly file: string
  /** Calls that wait for their turn; more are refused as overload. */
  readonly waiting?: number
  readonly load?: (file: string) => Promise<LoadedModel>
}

/** A GGUF file by node-llama-cpp. The first call loads it; calls take turns. */
export function createLlamaEngine(options: LlamaEngineOptions): PieceEngine {
  const { model, file, waiting = 32, load = loadModel } = options
  if (options.load === undefined) requireLibrary()
  const turns = createTurns(waiting)
  let loading: Promise<LoadedModel> | undefined
  let limits: EngineLimits = { inputTokenLimit: 8192, outputTokenLimit: 8192 }

  async function loaded(): Promise<LoadedModel> {
    loading ??= load(file).catch((error: unknown) => {
      loading = undefined
      throw error
    })
    const { contextSize } = await loading
    limits = { inputTokenLimit: contextSize, outputTokenLimit: contextSize }
    return loading
  }

  return {
    kind: 'pieces',
    version: model,
    operations,
    get limits() {
      return limits
    },
    async *generate(request, { signal }) {
      const order = { history: historyOf(request), options: optionsOf(request), signal }
      const ended = await turns.take(signal)
      try {
        await loaded()
        signal.throwIfAborted()
      } catch (error) {
        ended()
        throw error
      }
      yield* generatePieces({ ...order, model: await loaded(), ended })
    },
    countTokens: async (request) => ({ totalTokens: (await loaded()).countTokens(historyOf(request)) }),
    embed: async () => {
      throw new Failure('not-found', `the model "${model}" makes no embeddings`, {
        reason: 'operation_unsupported',
      })
    },
    close: async () => {
      const opened = await loading?.catch(() => undefined)
      await opened?.dispose()
    },
  }
}

const operations: ReadonlySet<Operation> = new Set<Operation>([
  'generateContent',
  'streamGenerateContent',
  'countTokens',
])
