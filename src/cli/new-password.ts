import { Failure } from '../failure/failure.ts'
import { type Call, type CommandOption, hasFlag } from './command.ts'

export const passwordOption: CommandOption = {
  type: 'boolean',
  description: 'Read the password from standard input, even at a terminal.',
}

/** A command line is read by others on the machine and kept in a history, so no option takes a password. */
export const howToGivePassword: string = [
  'At a terminal it asks for the password twice and shows nothing of it; otherwise it reads one line from standard',
  'input. A password never stands on the command line.',
].join('\n')

/** Asks twice at a terminal; otherwise one line from standard input. */
export async function newPassword(call: Call): Promise<string> {
  const { askHidden } = call.io
  if (askHidden === undefined || hasFlag(call, 'password-stdin')) return oneLine(await call.io.readInput())
  const password = await askHidden('New password: ')
  if ((await askHidden('Once more: ')) === password) return password
  throw new Failure('conflict', 'the two passwords differ; nothing was changed')
}

function oneLine(input: string): string {
  const line = input.replace(/\r?\n$/, '')
  if (line === '') throw new Failure('invalid-request', 'standard input holds no password')
  if (/[\r\n]/.test(line))
    throw new Failure('invalid-request', 'standard input must hold one line, the password')
  return line
}
