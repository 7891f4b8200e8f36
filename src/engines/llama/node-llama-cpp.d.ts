/** What we use of the package. It is declared here because it is no dependency: users install it when they want it. */
declare module 'node-llama-cpp' {
  export type ChatHistoryItem =
    | { readonly type: 'system' | 'user'; readonly text: string }
    | { readonly type: 'model'; readonly response: readonly string[] }

  export interface ResponseChunk {
    /** Undefined for the answer itself; `thought` or `comment` else. */
    readonly segmentType: string | undefined
    readonly text: string
    readonly tokens: readonly number[]
  }

  export interface Grammar {
    readonly grammar: string
  }

  export interface GenerateOptions {
    readonly onResponseChunk: (chunk: ResponseChunk) => void
    readonly signal: AbortSignal
    readonly maxTokens: number
    readonly temperature: number
    readonly topP: number
    readonly topK: number
    readonly seed?: number
    readonly customStopTriggers: readonly string[]
    readonly repeatPenalty: false | { readonly frequencyPenalty: number; readonly presencePenalty: number }
    readonly grammar?: Grammar
  }

  export class LlamaChat {
    constructor(options: { readonly contextSequence: ContextSequence })
    readonly chatWrapper: {
      readonly generateContextState: (state: { readonly chatHistory: readonly ChatHistoryItem[] }) => {
        readonly contextText: { readonly tokenize: (tokenizer: unknown) => readonly number[] }
      }
    }
    generateResponse(
      history: readonly ChatHistoryItem[],
      options: GenerateOptions,
    ): Promise<{ readonly metadata: { readonly stopReason: string } }>
  }

  export interface ContextSequence {
    readonly contextSize: number
  }

  export interface LlamaModel {
    readonly tokenizer: unknown
    readonly createContext: (options: {
      readonly contextSize: { readonly max: number }
      readonly threads: number
    }) => Promise<{
      readonly contextSize: number
      readonly getSequence: () => ContextSequence
    }>
  }

  export interface Llama {
    readonly cpuMathCores: number
    readonly loadModel: (options: { readonly modelPath: string }) => Promise<LlamaModel>
    readonly createGrammarForJsonSchema: (schema: object) => Promise<Grammar>
    readonly getGrammarFor: (type: 'json') => Promise<Grammar>
    readonly dispose: () => Promise<void>
  }

  export function getLlama(options: {
    readonly gpu: 'auto' | false
    readonly build: 'never'
    readonly skipDownload: boolean
    readonly progressLogs: boolean
    readonly logLevel: 'error'
  }): Promise<Llama>
}
