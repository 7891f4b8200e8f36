import type { Config } from '../config/config-schema.ts'
import type { SpoolPlace } from './spool-files.ts'

/** What the thread is started with. */
export interface DrainSetup {
  readonly address: string
  /** Where relative paths of the address begin. */
  readonly directory: string
  readonly place: SpoolPlace
  readonly settings: Config['audit']
  /** Whether the program keeps its compiled code. */
  readonly isCompileCached?: boolean
}

export type ToDrain =
  /** The spool reaches at least to this place. */
  | { readonly kind: 'wake'; readonly end: number }
  | { readonly kind: 'segment'; readonly start: number }
  /** To store what there is, and end. */
  | { readonly kind: 'finish' }

export type FromDrain = DrainReport | { readonly kind: 'finished' }

export type DrainReport =
  /** Everything before this place is in the store; an idle one waits to be woken. */
  | { readonly kind: 'progress'; readonly position: number; readonly isIdle: boolean }
  /** What was written before this place and not yet reported is nowhere to be found. */
  | { readonly kind: 'lost'; readonly position: number }
  /** Something that is tried again. */
  | { readonly kind: 'trouble'; readonly message: string; readonly reason: string }
  | { readonly kind: 'note'; readonly message: string; readonly details: Readonly<Record<string, unknown>> }

/** An error does not pass between threads whole; its words do. */
export function trouble(message: string, error: unknown): DrainReport {
  return { kind: 'trouble', message, reason: wordsOf(error) }
}

function wordsOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.cause instanceof Error ? `${error.message} (${error.cause.message})` : error.message
}
