import { Failure } from '../failure/failure.ts'
import { readCall } from './call.ts'
import { commands } from './commands.ts'
import { findCommand } from './find-command.ts'
import { commandHelp, overview } from './help-text.ts'
import type { Io } from './io.ts'

/** Exit codes: 0 it worked, 1 it failed, 2 it was called wrongly. */
export async function run(argv: readonly string[], io: Io): Promise<number> {
  const args = [shorthands.get(argv[0] ?? '') ?? argv[0] ?? '', ...argv.slice(1)]
  try {
    const command = findCommand(args, commands)
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
