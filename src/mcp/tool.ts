import type { Principal } from '../auth/principal.ts'
import type { ScopeNeed } from '../auth/scopes.ts'
import type { HeaderParameter } from './header-parameters.ts'

/** What a running tool knows about the call besides its input. The caller's token is not among it. */
export interface ToolContext {
  readonly principal: Principal
  /** Aborted when the caller hangs up or the time of the tool is over. */
  readonly signal: AbortSignal
  readonly requestId: string
  /** Told to the caller if it asked for progress; `done` has to grow. */
  readonly progress: (done: number, total?: number, message?: string) => void
  /** For the record of calls: the tokens that a model read and wrote for this one. */
  readonly used: (tokensIn: number, tokensOut: number) => void
}

interface Annotated {
  readonly annotations?: Readonly<Record<string, unknown>>
  readonly _meta?: Readonly<Record<string, unknown>>
}

interface EmbeddedResource {
  readonly uri: string
  readonly mimeType?: string
  readonly text?: string
  readonly blob?: string
}

export type ContentBlock = Annotated &
  (
    | { readonly type: 'text'; readonly text: string }
    | { readonly type: 'image' | 'audio'; readonly data: string; readonly mimeType: string }
    | { readonly type: 'resource'; readonly resource: EmbeddedResource }
    | {
        readonly type: 'resource_link'
        readonly uri: string
        readonly name: string
        readonly title?: string
        readonly description?: string
        readonly mimeType?: string
      }
  )

export interface ToolResult {
  readonly content: readonly ContentBlock[]
  readonly structuredContent?: unknown
  /** The tool ran and failed, or refused its input: for the model to read and to mend. */
  readonly isError?: boolean
}

/** One tool as the server needs it, wherever it comes from. */
export interface Tool {
  readonly name: string
  /** Its entry in `tools/list`. */
  readonly listing: Readonly<Record<string, unknown>>
  readonly needs: ScopeNeed
  /** Checks the input itself; what it throws is hidden from the caller. */
  readonly call: (input: unknown, context: ToolContext) => ToolResult | Promise<ToolResult>
  /** Properties of the input that callers repeat in `Mcp-Param-*` headers: `headerParametersOf(inputSchema)`. */
  readonly headerParameters: readonly HeaderParameter[]
  readonly requiresDpop: boolean
  /** Capabilities that the client must have, such as `{ sampling: {} }`. */
  readonly requiresCapabilities?: Readonly<Record<string, unknown>>
  /** In place of the limit for all tools. */
  readonly timeoutSeconds?: number
}
