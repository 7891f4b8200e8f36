import type { Tool } from './tool.ts'

/** Where tools come from. A source that cannot reach its tools has none for the time being; it does not throw. */
export interface ToolSource {
  readonly name: string
  /**
   * Its tools are written elsewhere: they declare no scopes of their own, so only those that the configuration gives scopes
   * to are served, and a name that another source has as well stays with the other.
   */
  readonly isRemote?: boolean
  readonly tools: () => readonly Tool[]
  readonly onChange: (listener: () => void) => void
  readonly close: () => Promise<void>
}
