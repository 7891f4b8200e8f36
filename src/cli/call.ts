import { parseArgs } from 'node:util'
import { nearestText } from '../config/nearest-text.ts'
import { Failure } from '../failure/failure.ts'
import type { Call, Command, CommandOption } from './command.ts'

/** The options that every command takes. */
export const commonOptions: Readonly<Record<string, CommandOption>> = {
  debug: { type: 'boolean', description: 'On an error, show where in the program it happened.' },
  help: { type: 'boolean', description: 'Show this help.' },
}

/** What was typed after the name of the command, checked; a misuse says what was meant. */
export function readCall(
  command: Command,
  args: readonly string[],
  world: Pick<Call, 'io' | 'commands'>,
): Call {
  const options = { ...command.options, ...commonOptions }
  const types = Object.entries(options).map(([name, option]) => {
    const multiple = option.type === 'string' && option.multiple === true
    return [name, { type: option.type, multiple }] as const
  })
  try {
    const { values, positionals } = parseArgs({
      args: args.map((arg) => (arg === '-h' ? '--help' : arg)),
      options: Object.fromEntries(types),
      allowPositionals: command.words !== undefined,
    })
    return { ...world, values, words: positionals }
  } catch (error) {
    const complaint = error instanceof Error ? (error.message.split('. ')[0] ?? '') : String(error)
    const hint = didYouMean(complaint, Object.keys(options))
    throw new Failure('invalid-request', `${complaint}${hint}. See "postern ${command.name} --help".`)
  }
}

function didYouMean(complaint: string, options: readonly string[]): string {
  const unknown = /^Unknown option '--([^']+)'/.exec(complaint)?.[1]
  const nearest = unknown === undefined ? undefined : nearestText(unknown, options)
  return nearest?.isClose ? ` (did you mean --${nearest.text}?)` : ''
}
