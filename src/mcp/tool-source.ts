import type { Tool } from './tool.ts'

/** Where tools come from. A source that cannot reach its tools has none for the time being; it does not throw. */
export interface ToolSource {
  readonly name: string
  readonly tools: () => readonly Tool[]
  readonly onChange: (listener: () => void) => void
  readonly close: () => Promise<void>
}
