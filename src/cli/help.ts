import { Failure } from '../failure/failure.ts'
import type { Command } from './command.ts'
import { commandHelp, overview } from './help-text.ts'

export const help: Command = {
  name: 'help',
  summary: 'list the commands, or show the help of one',
  words: '[COMMAND]',
  options: {},
  example: 'postern help serve',
  run: async ({ commands, io, words }) => {
    const asked = words.join(' ')
    const command = commands.find(({ name }) => name === asked)
    if (asked !== '' && command === undefined)
      throw new Failure('invalid-request', `there is no command "${asked}"; "postern help" lists all.`)
    io.out(command === undefined ? overview(commands, io) : commandHelp(command, io))
    return 0
  },
}
