import type { Io } from './io.ts'

export interface Command {
  /** As it is typed, such as `config check`. */
  readonly name: string
  /** One line for the list of commands. */
  readonly summary: string
  /** What else its help should say. */
  readonly details?: string
  /** What follows the options, such as `[COMMAND]`; a command without it takes no further words. */
  readonly words?: string
  readonly options: Readonly<Record<string, CommandOption>>
  readonly example: string
  /** Answers with the exit code. */
  readonly run: (call: Call) => Promise<number>
}

export type CommandOption =
  | { readonly type: 'boolean'; readonly description: string }
  | { readonly type: 'string'; readonly placeholder: string; readonly description: string }

export interface Call {
  readonly io: Io
  readonly commands: readonly Command[]
  readonly values: Readonly<Record<string, string | boolean | undefined>>
  readonly words: readonly string[]
}

export function textOption(call: Call, name: string): string | undefined {
  const value = call.values[name]
  return typeof value === 'string' ? value : undefined
}

export function hasFlag(call: Call, name: string): boolean {
  return call.values[name] === true
}
