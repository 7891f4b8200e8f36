import { commonOptions } from './call.ts'
import type { Command, CommandOption } from './command.ts'

/** A place in a command line: after these words, what may follow. */
export interface Place {
  /** The words so far, such as `keys list`; empty at the beginning. */
  readonly path: string
  readonly words: readonly Candidate[]
  readonly options: readonly OptionCandidate[]
  /** What a further word may be, where a command takes one. */
  readonly argument: Value | undefined
}

export interface Candidate {
  readonly text: string
  readonly description: string
}

export interface OptionCandidate extends Candidate {
  /** Undefined for an option that takes none. */
  readonly value: Value | undefined
}

/** A file, one of a few words, or anything. */
export type Value = 'file' | 'any' | readonly string[]

/** Every place that the table of commands knows, so that completion cannot be out of step with it. */
export function completionPlaces(commands: readonly Command[]): readonly Place[] {
  const paths = new Set(commands.flatMap(({ name }) => beginnings(name)))
  const places = [...paths].map((path) => placeAt(path, commands))
  return [...places, ...places.flatMap(helpOn)]
}

/** `a b c` begins with nothing, `a`, `a b` and itself. */
function beginnings(name: string): readonly string[] {
  const words = name.split(' ')
  return Array.from({ length: words.length + 1 }, (_, count) => words.slice(0, count).join(' '))
}

function placeAt(path: string, commands: readonly Command[]): Place {
  const command = commands.find(({ name }) => name === path)
  const options = command === undefined ? [] : Object.entries({ ...command.options, ...commonOptions })
  return {
    path,
    words: wordsBelow(path, commands),
    options: options.map(([name, option]) => optionCandidate(name, option)),
    argument: command?.words === undefined ? undefined : valueNamed(command.words),
  }
}

function wordsBelow(path: string, commands: readonly Command[]): readonly Candidate[] {
  const start = path === '' ? '' : `${path} `
  const below = commands.filter(({ name }) => name.startsWith(start) && name !== path)
  const next = new Set(below.map(({ name }) => name.slice(start.length).split(' ')[0] ?? ''))
  return [...next].map((text) => {
    const own = below.find(({ name }) => name === start + text)
    const family = below.filter(({ name }) => name.startsWith(`${start}${text} `))
    const rest = family.map(({ name }) => name.slice(start.length + text.length + 1)).join(', ')
    return { text, description: own?.summary ?? rest }
  })
}

function optionCandidate(name: string, option: CommandOption): OptionCandidate {
  const value = option.type === 'boolean' ? undefined : valueNamed(option.placeholder)
  return { text: `--${name}`, description: option.description, value }
}

/** As a placeholder says: `FILE`, a choice such as `allow|deny`, or anything else. */
function valueNamed(placeholder: string): Value {
  if (/^[a-z0-9-]+(?:\|[a-z0-9-]+)+$/.test(placeholder)) return placeholder.split('|')
  return /\bFILE\b/.test(placeholder) ? 'file' : 'any'
}

/** `postern help` takes the words of any command. */
function helpOn({ path, words }: Place): readonly Place[] {
  if (words.length === 0 || path === 'help') return []
  return [{ path: `help ${path}`.trimEnd(), words, options: [], argument: undefined }]
}
