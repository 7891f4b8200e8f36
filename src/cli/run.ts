import { ClientError } from '../client/client-error.ts'
import { Failure } from '../failure/failure.ts'
import { readCall } from './call.ts'
import type { Call } from './command.ts'
import { commands } from './commands.ts'
import { describeError } from './describe-error.ts'
import { findCommand } from './find-command.ts'
import { commandHelp, overview } from './help-text.ts'
import type { Io } from './io.ts'
import { shownText } from './terminal-text.ts'

/** Exit codes: 0 it worked, 1 it failed, 2 it was called wrongly. */
export async function run(argv: readonly string[], io: Io): Promise<number> {
  const args = [shorthands.get(argv[0] ?? '') ?? argv[0] ?? '', ...argv.slice(1)]
  let call: Call | undefined
  try {
    const command = findCommand(args, commands)
    if (command === undefined) {
      io.err(overview(commands, io))
      return 2
    }
    call = readCall(command, args.slice(command.name.split(' ').length), { io, commands })
    if (call.values.help !== true) return await command.run(call)
    io.out(commandHelp(command, io))
    return 0
  } catch (error) {
    return report(error, { io, isDebugging: args.includes('--debug'), call })
  }
}

/** What people type first. */
const shorthands: ReadonlyMap<string, string> = new Map([
  ['--help', 'help'],
  ['-h', 'help'],
  ['--version', 'version'],
  ['-v', 'version'],
])

interface Reporting {
  readonly io: Io
  readonly isDebugging: boolean
  readonly call: Call | undefined
}

function report(error: unknown, { io, isDebugging, call }: Reporting): number {
  const isKnown = error instanceof Failure || error instanceof ClientError
  io.err(describeError(error, call))
  if (isDebugging && error instanceof Error) io.err(`${shownText(stackOf(error), true)}\n`)
  else if (!isKnown) io.err('postern: call again with --debug to see where it happened\n')
  return error instanceof Failure && error.code === 'invalid-request' ? 2 : 1
}

function stackOf(error: Error): string {
  const cause = error.cause instanceof Error ? `\ncaused by: ${stackOf(error.cause)}` : ''
  return `${error.stack ?? error.message}${cause}`
}
