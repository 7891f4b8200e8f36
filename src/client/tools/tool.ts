import type { Walk, WalkOptions } from '../walk.ts'

/** A tool as its server describes it. */
export interface Tool {
  readonly name: string
  readonly title?: string | undefined
  readonly description?: string | undefined
  readonly inputSchema: Readonly<Record<string, unknown>>
  readonly outputSchema?: Readonly<Record<string, unknown>> | undefined
  readonly annotations?: ToolAnnotations | undefined
}

/** Hints of the server about itself: not to be trusted where the server is not. */
export interface ToolAnnotations {
  readonly title?: string | undefined
  readonly readOnlyHint?: boolean | undefined
  readonly destructiveHint?: boolean | undefined
  readonly idempotentHint?: boolean | undefined
  readonly openWorldHint?: boolean | undefined
}

export interface ToolResult {
  readonly content: readonly ToolContent[]
  /** Any JSON; until revision 2025-11-25 an object. */
  readonly structuredContent?: unknown
  /** That the tool itself says it failed; the content says why. */
  readonly isError: boolean
}

/** One piece of a result; what it holds besides depends on its type. */
export interface ToolContent {
  readonly type: string
  readonly text?: string | undefined
  readonly [name: string]: unknown
}

export interface Progress {
  readonly progress: number
  readonly total?: number | undefined
  readonly message?: string | undefined
}

export interface CallOptions {
  readonly onProgress?: (progress: Progress) => void
  readonly signal?: AbortSignal
}

/** A connection to a tool server. */
export interface ToolServer {
  readonly server: { readonly name: string; readonly version: string; readonly revision: string }
  /** What the server says about how to use its tools. */
  readonly instructions: string | undefined
  readonly list: (options?: WalkOptions) => Walk<Tool>
  /** Resolves also where the tool says that it failed (`isError`); rejects where the call was refused. */
  readonly call: (
    name: string,
    args?: Readonly<Record<string, unknown>>,
    options?: CallOptions,
  ) => Promise<ToolResult>
  readonly close: () => Promise<void>
}
