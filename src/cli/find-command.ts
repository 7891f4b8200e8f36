import { nearestText } from '../config/nearest-text.ts'
import { Failure } from '../failure/failure.ts'
import type { Command } from './command.ts'

/** The command that was typed, by the longest name that fits; undefined when nothing was. */
export function findCommand(args: readonly string[], commands: readonly Command[]): Command | undefined {
  const words = leadingWords(args)
  const typed = words.join(' ')
  if (typed === '') return undefined
  const found = words
    .map((_, index) => words.slice(0, words.length - index).join(' '))
    .flatMap((name) => commands.find((command) => command.name === name) ?? [])[0]
  const isWhole = found?.name === typed || found?.words !== undefined
  if (found !== undefined && (isWhole || commandsBelow(found.name, commands).length === 0)) return found
  throw new Failure('invalid-request', whatWasMeant(words, commands))
}

/** The commands whose names begin with these words. */
export function commandsBelow(words: string, commands: readonly Command[]): readonly Command[] {
  return commands.filter(({ name }) => name.startsWith(`${words} `))
}

const longestName = 3

/** Everything before the first option. */
function leadingWords(args: readonly string[]): readonly string[] {
  const end = args.findIndex((arg) => arg === '' || arg.startsWith('-'))
  return args.slice(0, Math.min(end === -1 ? args.length : end, longestName))
}

function whatWasMeant(words: readonly string[], commands: readonly Command[]): string {
  const typed = words.join(' ')
  const below = commandsBelow(typed, commands).map(({ name }) => `"postern ${name}"`)
  if (below.length > 0) return `"${typed}" is no whole command; there is ${below.join(', ')}.`
  const [first = ''] = words
  const firstMeant = nearestText(
    first,
    commands.map(({ name }) => firstWord(name)),
  )?.text
  const family = commands.map(({ name }) => name).filter((name) => firstWord(name) === firstMeant)
  const nearest = nearestText(typed, family)?.text
  const shown = first === firstMeant ? typed : first
  return `there is no command "${shown}"; the nearest is "postern ${nearest}". "postern help" lists all.`
}

function firstWord(name: string): string {
  return name.split(' ')[0] ?? name
}
