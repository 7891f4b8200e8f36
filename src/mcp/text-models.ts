import type { Principal } from '../auth/principal.ts'
import type { TokenCodec } from '../paging/token-codec.ts'

/** The models that write text, as tools see them. What answers for them is none of their business. */
export interface TextModels {
  /** In the order of their names. */
  readonly all: readonly TextModel[]
  /** By its own name or by an alias. */
  readonly find: (name: string) => TextModel | undefined
  /** Signs the cursors of their list. */
  readonly tokens: TokenCodec
}

export interface TextModel {
  readonly name: string
  readonly version: string
  readonly inputTokenLimit: number
  readonly outputTokenLimit: number
  /** Fails with a Failure whose message is for the caller. */
  readonly generate: (order: TextOrder, call: TextOrderCall) => Promise<WrittenText>
}

export interface TextOrder {
  readonly prompt: string
  readonly maxOutputTokens?: number | undefined
}

export interface TextOrderCall {
  /** Whose limits it counts against. */
  readonly principal: Principal
  /** Aborting it ends the work within 100 ms. */
  readonly signal: AbortSignal
  readonly requestId: string
  /** Told how many characters there are so far. */
  readonly onText: (characters: number) => void
  /** Told what each model that was asked has read and written, also when it fails or the signal is aborted. */
  readonly used: (tokensIn: number, tokensOut: number) => void
}

interface WrittenText {
  readonly text: string
  /** The name of the model that answered: another one than was asked for where that one failed. */
  readonly model: string
  readonly finishReason: string
  readonly tokensIn: number
  readonly tokensOut: number
}
