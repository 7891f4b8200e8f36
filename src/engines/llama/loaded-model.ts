import type { ChatHistoryItem, Grammar, LlamaChat } from 'node-llama-cpp'
import { llamaInstall } from '../../config/llama-install.ts'
import { Failure } from '../../failure/failure.ts'
import { loadLibrary } from './library.ts'
import type { AnswerForm } from './options.ts'

/** A GGUF file in memory, with one context that one call at a time uses. */
export interface LoadedModel {
  readonly chat: LlamaChat
  readonly contextSize: number
  readonly countTokens: (history: readonly ChatHistoryItem[]) => number
  readonly grammarFor: (form: AnswerForm) => Promise<Grammar | undefined>
  readonly dispose: () => Promise<void>
}

/** Memory for a context grows with its size, so that of a model with a large one is not taken whole. */
const largestContext = 8192

export async function loadModel(file: string): Promise<LoadedModel> {
  const { getLlama, LlamaChat } = await loadLibrary()
  const llama = await getLlama({
    gpu: 'auto',
    build: 'never',
    skipDownload: true,
    progressLogs: false,
    logLevel: 'error',
  }).catch(noBinary)
  try {
    const model = await llama.loadModel({ modelPath: file })
    const context = await model.createContext({
      contextSize: { max: largestContext },
      // Its threads wait for each other by spinning: without a core for the gateway both would come to a halt.
      threads: Math.max(1, llama.cpuMathCores - 1),
    })
    const chat = new LlamaChat({ contextSequence: context.getSequence() })
    return {
      chat,
      contextSize: context.contextSize,
      countTokens: (history) => {
        const chatHistory = [...history, { type: 'model', response: [] } as const]
        return chat.chatWrapper.generateContextState({ chatHistory }).contextText.tokenize(model.tokenizer)
          .length
      },
      grammarFor: async (form) => {
        if (form === 'text') return undefined
        return form === 'json' ? llama.getGrammarFor('json') : llama.createGrammarForJsonSchema(form.schema)
      },
      dispose: llama.dispose.bind(llama),
    }
  } catch (cause) {
    await llama.dispose()
    throw new Failure('misconfigured', `the GGUF file ${file} cannot be loaded`, { cause, field: 'models' })
  }
}

function noBinary(cause: unknown): never {
  throw new Failure(
    'misconfigured',
    `node-llama-cpp is installed without a binary for this system; install both with "${llamaInstall}" (on another system the package of that name)`,
    { cause, field: 'models' },
  )
}
