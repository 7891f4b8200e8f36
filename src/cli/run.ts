import { nearestText } from '../config/nearest-text.ts'
import { Failure } from '../failure/failure.ts'
import { readCall } from './call.ts'
import type { Command } from './command.ts'
import { commands } from './commands.ts'
import { commandHelp, overview } from './help-text.ts'
import type { Io } from './io.ts'

/** Exit codes: 0 it worked, 1 it failed, 2 it was called wrongly. */
export async function run(argv: readonly string[], io: Io): Promise<number> {
  const args = [shorthands.get(argv[0] ?? '') ?? argv[0] ?? '', ...argv.slice(1)]
  try {
    const command = findCommand(args)
    if (command === undefined) {
      io.err(overview(commands, io))
      return 2
    }
    const call = readCall(command, args.slice(command.name.split(' ').length), { io, commands })
    if (call.values.help !== true) return await command.run(call)
    io.out(commandHelp(command, io))
    return 0
  } catch (error) {
    return report(error, { io, isDebugging: args.includes('--debug') })
  }
}

/** What people type first. */
const shorthands: ReadonlyMap<string, string> = new Map([
  ['--help', 'help'],
  ['-h', 'help'],
  ['--version', 'version'],
  ['-v', 'version'],
])

function findCommand([first = '', second = '']: readonly string[]): Command | undefined {
  const found = commands.find(({ name }) => name === `${first} ${second}` || name === first)
  if (found !== undefined || first === '') return found
  const meant = nearestText(
    first,
    commands.map(({ name }) => firstWord(name)),
  )?.text
  const nearest = commands.find(({ name }) => firstWord(name) === meant)?.name
  throw new Failure(
    'invalid-request',
    `there is no command "${first}"; the nearest is "postern ${nearest}". "postern help" lists all.`,
  )
}

function firstWord(name: string): string {
  return name.split(' ')[0] ?? name
}

function report(
  error: unknown,
  { io, isDebugging }: { readonly io: Io; readonly isDebugging: boolean },
): number {
  const isKnown = error instanceof Failure
  const message = error instanceof Error ? error.message : String(error)
  io.err(`postern: ${isKnown ? '' : 'unexpected error: '}${onItsOwnLines(message)}\n`)
  if (isDebugging && error instanceof Error) io.err(`${stackOf(error)}\n`)
  else if (!isKnown) io.err('postern: call again with --debug to see where it happened\n')
  return isKnown && error.code === 'invalid-request' ? 2 : 1
}

/** Several problems stand below each other, each beginning with its place in the file. */
function onItsOwnLines(message: string): string {
  const lines = message.split('\n')
  return lines.length === 1 ? message : `${lines.length} problems\n${message}`
}

function stackOf(error: Error): string {
  const cause = error.cause instanceof Error ? `\ncaused by: ${stackOf(error.cause)}` : ''
  return `${error.stack ?? error.message}${cause}`
}
