import { Failure } from '../failure/failure.ts'
import type { Io } from './io.ts'
import { jsonText } from './terminal-text.ts'

/** The headings of the list of commands, in this order. */
export const commandGroups = [
  'Programs',
  'Tools and models',
  'The authority',
  'API keys',
  'Service accounts',
  'Records',
  'Else',
] as const

export interface Command {
  /** As it is typed, such as `config check`. */
  readonly name: string
  readonly group: (typeof commandGroups)[number]
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
  | {
      readonly type: 'string'
      readonly placeholder: string
      readonly description: string
      /** May be given several times. */
      readonly multiple?: true
    }

export interface Call {
  readonly io: Io
  readonly commands: readonly Command[]
  readonly values: Readonly<Record<string, string | boolean | readonly (string | boolean)[] | undefined>>
  readonly words: readonly string[]
}

/** For commands that work on the store. */
export const configOption: CommandOption = {
  type: 'string',
  placeholder: 'FILE',
  description: 'The configuration (default ./postern.yaml if there is one).',
}

export const jsonOption: CommandOption = { type: 'boolean', description: 'Print JSON.' }

export function textOption(call: Call, name: string): string | undefined {
  const value = call.values[name]
  return typeof value === 'string' ? value : undefined
}

/** What was given each time. */
export function textOptions(call: Call, name: string): readonly string[] {
  const value = call.values[name]
  return Array.isArray(value) ? value.map(String) : []
}

export function hasFlag(call: Call, name: string): boolean {
  return call.values[name] === true
}

/** The one word that a command takes. */
export function onlyWord({ words }: Call, what: string): string {
  const [word = ''] = words
  if (words.length === 1 && word !== '') return word
  throw new Failure('invalid-request', `name exactly one ${what}`)
}

export function printJson({ io }: Call, value: unknown): void {
  io.out(`${jsonText(value, 2)}\n`)
}
